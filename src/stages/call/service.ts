/** Which provider a model's name picks: `gemini/gemini-2.5-flash`, `openrouter/vendor/model`. */
import { members } from '../../files/members.ts'
import type { Env } from '../../providers/_access.ts'
import type { Provider } from '../../providers/_provider.ts'
import { baseNamesOf, SERVERS } from '../../providers/_servers.ts'
import { configError } from '../../rows/record.ts'

/** A provider and its defaults. */
interface Service {
  /** As it stands before a model. */
  name: string
  provider: Provider
  base: string
  keyNames: readonly string[]
  baseNames: readonly string[]
}

/** A service with the model's name there. */
interface SelectedService extends Service {
  sentModel: string
  /** The model's name picked it. */
  selectedByModel: boolean
}

const providers = new Map<string, Promise<Provider>>()

/** The provider of that name, loaded once. */
function providerOf(api: string): Promise<Provider> {
  let found = providers.get(api)
  if (!found) {
    if (!members('providers').includes(api)) throw configError(`no provider "${api}"`)
    providers.set(api, (found = import(`../../providers/${api}.ts`).then(({ provider }) => provider)))
  }
  return found
}

/** OpenAI's own: what it is called in front of a model. */
const OPENAI = 'openai'
const OPENAI_APIS = new Set(['chat', 'completions', 'responses'])

/** The service of that name. @param api how it is spoken to, for one that has no API of its own */
async function serviceNamed(name: string, api: string): Promise<Service> {
  const server = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined
  const { base, keyNames, baseNames } = await providerOf(server ? 'chat' : name)
  if (!server || name === OPENAI) return { name, provider: await providerOf(api), base, keyNames, baseNames }
  return {
    name,
    provider: await providerOf(api),
    base: server.base,
    keyNames: [server.key],
    baseNames: baseNamesOf(name),
  }
}

/**
 * The service that a model is asked of.
 * @param api as the user names it; @param usual where he does not
 * @param plain the model's name is taken as it stands
 * @throws Fatal (configuration) for an API that there is not
 */
export async function serviceOf(
  model: string,
  { api, usual, env, plain }: { api: string | undefined; usual: string; env: Env; plain: boolean },
): Promise<SelectedService> {
  const own = api ?? usual
  const [, name = '', rest = ''] = (!plain && /^([a-z][\w-]*)\/(.+)$/s.exec(model)) || []
  const isServer = Object.hasOwn(SERVERS, name)
  if (isServer || members('providers').includes(name)) {
    const service = await serviceNamed(name, api ?? (isServer ? usual : name))
    // A server of one's own under OpenAI's variables: openai/gpt-oss-120b is the name of a model there.
    const other = name === OPENAI && service.baseNames.some((variable) => env[variable]?.trim())
    if (!other) return { ...service, sentModel: rest, selectedByModel: true }
  }
  const service = await serviceNamed(own, own)
  return { ...service, name: OPENAI_APIS.has(own) ? OPENAI : own, sentModel: model, selectedByModel: false }
}

/** What may stand before a model, sorted. */
export const serviceNames = (): string[] => [...members('providers'), ...Object.keys(SERVERS)].sort()

/** `--list-providers`: the table of providers, a line each: name, API, base URL, key variables. */
export async function* listServices(): AsyncGenerator<string> {
  const names = serviceNames()
  const rows = await Promise.all(
    names.map(async (name) => {
      const api = Object.hasOwn(SERVERS, name) ? 'chat' : name
      const { base, keyNames } = await serviceNamed(name, api)
      return [name, api, base, keyNames.join(' or ')]
    }),
  )
  const table = [['PROVIDER', 'API', 'BASE URL', 'KEY'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)))
  for (const row of table) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i] ?? 0))
    yield `${cells.join('  ').trimEnd()}\n`
  }
}
