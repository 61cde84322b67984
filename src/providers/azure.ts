/**
 * Azure's OpenAI service: chat completions with a deployment as the model. Under `/openai/v1` the model is in the body,
 * elsewhere in the URL, with the API's version (Azure OpenAI REST API reference).
 */
import { openaiBatch } from './_openai_batch.ts'
import type { Provider } from './_provider.ts'
import { mapPath, segment, siblingUrl } from './_url.ts'
import { provider as chat } from './chat.ts'

/** The last stable version of the API with the model in the URL. */
const VERSION = '2024-10-21'
const PATH = '/chat/completions'

export const provider: Provider = {
  ...chat,
  path: '/openai/deployments/MODEL/chat/completions',
  url(base, model, env) {
    const version = env.AZURE_API_VERSION || env.OPENAI_API_VERSION
    const url = mapPath(base, (path) => {
      const given = path.replace(/\/chat\/completions$/, '')
      return /\/openai\/(v1|deployments\/[^/]+)$/.test(given)
        ? `${given}${PATH}`
        : `${given.replace(/\/openai$/, '')}/openai/deployments/${segment(model)}${PATH}`
    })
    if (version) url.searchParams.set('api-version', version)
    else if (!url.pathname.endsWith(`/openai/v1${PATH}`) && !url.searchParams.has('api-version'))
      url.searchParams.set('api-version', VERSION)
    return url
  },
  base: '{AZURE_OPENAI_ENDPOINT|AZURE_API_BASE}',
  keyNames: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  baseNames: [],

  headers: (key): Record<string, string> => (key === undefined ? {} : { 'api-key': key }),

  models: {
    ...chat.models!,
    url: (url) => siblingUrl(url, '/openai/$1models', /\/openai\/(v1\/)?.*$/),
  },

  batch: openaiBatch('/chat/completions', /(\/deployments\/[^/]+)?\/chat\/completions$/),
}
