/** What calls sent and cost: their parameters, the models that served them, and amounts that add up. */
import type { Plan } from '../rows/plan.ts'
import { isObject, type Json, type JsonObject, type TrialResult, type Usage } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { LARGEST } from '../rows/shapes.ts'
import { Codes, Doubt, type RowValues } from '../rows/values.ts'
import { digestOfStrings, mixed, mixedNumber } from './digest.ts'
import { Interned } from './interned.ts'
import { canonical } from './kind.ts'
import { type Entry, FAILED } from './ledger.ts'

/** Numbers of a call that are added up, by their names in a reply; those of its usage are added up as well. */
export const AMOUNTS = ['cost']

/** Of a cascade: the name of the amount that is the cost of one of its models. */
export const costOfModel = (model: string) => `cost of ${model}`
export const isCostOfModel = (amount: string) => amount.startsWith('cost of ')

/** Paths that are read of a row. */
export const CALL_PATHS = [
  ...['chain', 'request.messages', 'request.prompt', 'reply.served_model', 'reply.parameters', 'error.stage'],
  ...['reply', 'error'].flatMap((place) => [...AMOUNTS, 'usage.*'].map((key) => `${place}.${key}`)),
]

/** Where the amounts of a reply or of a failure stand. */
interface Place {
  amounts: number[]
  usage: number
  /** The numbers of the amounts that the keys of its usage are. */
  numbers: number[]
  every: () => { first: number; names: readonly Uint8Array[] }
}

export class CallReader {
  /** Names of amounts, by number. */
  readonly amounts: string[] = [...AMOUNTS]
  /** The model that served the call taken last, and the numbers of it and of the parameters; 0 where they are not known. */
  served = 0
  parameters = 0
  private readonly plan: Plan
  private readonly values: RowValues
  private readonly entry: Entry
  private readonly slots: Record<
    'chain' | 'messages' | 'prompt' | 'request' | 'served' | 'given' | 'stage',
    number
  >
  private readonly reply: Place
  private readonly error: Place
  private readonly servedCodes = new Codes()
  private readonly sent = new Interned<JsonObject>()
  private readonly sentNumbers = new Map<string, number>()

  constructor(plan: Plan, values: RowValues, entry: Entry) {
    this.plan = plan
    this.values = values
    this.entry = entry
    this.slots = {
      chain: plan.slot('chain'),
      messages: plan.slot('request.messages'),
      prompt: plan.slot('request.prompt'),
      request: plan.slot('request'),
      served: plan.slot('reply.served_model'),
      given: plan.slot('reply.parameters'),
      stage: plan.slot('error.stage'),
    }
    this.reply = this.placeIn('reply')
    this.error = this.placeIn('error')
  }

  private placeIn(name: string): Place {
    return {
      amounts: AMOUNTS.map((amount) => this.plan.slot(`${name}.${amount}`)),
      usage: this.plan.slot(`${name}.usage`),
      numbers: [],
      every: () => this.plan.every(`${name}.usage`),
    }
  }

  /**
   * Takes the call of the row that was scanned.
   * @param replied it has a reply @param model whose cost is kept by itself @throws Doubt
   */
  takeRow(replied: boolean, row: () => Row, model?: string): void {
    const { values, slots, entry } = this
    const place = replied ? this.reply : this.error
    entry.amounts.fill(0)
    for (let i = 0; i < place.amounts.length; i++) entry.amounts[i] = values.number(place.amounts[i]!, 0)
    if (model !== undefined) this.setAmount(this.amount(costOfModel(model)), entry.amounts[0]!)
    if (values.hasObject(place.usage)) this.takeUsage(place)
    const chained = values.has(slots.chain)
    if (chained)
      for (const { reply } of row().get('chain')!) {
        this.addUsage(reply.usage)
        if (typeof reply.cost === 'number') this.setAmount(0, reply.cost)
      }
    entry.asked = chained ? 0 : this.askedDigest()
    this.served = values.hasString(slots.served)
      ? this.servedCodes.code(values.bytes, values.from(slots.served), values.to(slots.served))
      : 0
    this.parameters = this.parametersIn(replied)
    this.mix()
  }

  /** Takes a call that jb-score kept. @param model whose cost is kept by itself */
  take({ usage, cost, served_model, parameters }: Partial<TrialResult>, model?: string): void {
    const { entry } = this
    entry.amounts.fill(0)
    entry.asked = 0
    if (cost !== undefined) this.setAmount(0, cost)
    if (model !== undefined) this.setAmount(this.amount(costOfModel(model)), cost ?? 0)
    this.addUsage(usage)
    const text = served_model === undefined ? undefined : Buffer.from(JSON.stringify(served_model))
    this.served = text ? this.servedCodes.code(text, 0, text.length) : 0
    this.parameters = parameters === undefined ? 0 : this.numberOf(parameters)
    this.mix()
  }

  /** The model that served a call, by its number. */
  servedModel(number: number): string | undefined {
    return number === 0 ? undefined : (JSON.parse(this.servedCodes.text(number)) as string)
  }

  /** The parameters that were sent, by their number. */
  sentParameters(number: number): JsonObject | undefined {
    return this.sent.values[number]
  }

  private takeUsage(place: Place): void {
    const { values } = this
    const { first, names } = place.every()
    for (let i = 0; i < names.length; i++) {
      if (!values.has(first + i)) continue
      const tokens = values.read(first + i)
      if (Math.abs(tokens) <= LARGEST)
        this.setAmount((place.numbers[i] ??= this.amount(Buffer.from(names[i]!).toString())), tokens)
    }
  }

  private addUsage(usage: Usage | undefined): void {
    for (const [name, value] of Object.entries(usage ?? {}))
      if (typeof value === 'number' && Math.abs(value) <= LARGEST) this.setAmount(this.amount(name), value)
  }

  private amount(name: string): number {
    const known = this.amounts.indexOf(name, AMOUNTS.length)
    return known >= 0 ? known : this.amounts.push(name) - 1
  }

  private setAmount(number: number, value: number): void {
    const { amounts } = this.entry
    while (amounts.length <= number) amounts.push(0)
    amounts[number]! += value
  }

  private askedDigest(): number {
    const { values, slots } = this
    const slot = values.has(slots.messages) ? slots.messages : slots.prompt
    return values.has(slot) ? digestOfStrings(values.bytes, values.from(slot), values.to(slot)) : 0
  }

  /** The number of the parameters that were sent. Of a call that failed only jb-call knew them. */
  private parametersIn(replied: boolean): number {
    const { values, slots } = this
    const isGiven = replied && values.has(slots.given)
    const isAsked = values.has(slots.request)
    if (!isGiven && !isAsked) return 0
    if (!replied && values.json(slots.stage) === '"call"') return 0
    const key = `${isGiven ? values.json(slots.given) : ''}\n${isAsked ? this.restOfRequest() : ''}`
    let number = this.sentNumbers.get(key)
    if (number === undefined) {
      const asked = isAsked ? values.parsed(slots.request) : {}
      number = this.numberOf(asked, isGiven ? values.parsed(slots.given) : {})
      this.sentNumbers.set(key, number)
    }
    return number
  }

  /** JSON text of the request without what was asked. */
  private restOfRequest(): string {
    const { values, slots } = this
    let text = ''
    let at = values.from(slots.request)
    const asked = [slots.messages, slots.prompt].filter((slot) => values.from(slot) >= 0)
    for (const slot of asked.sort((a, b) => values.from(a) - values.from(b))) {
      text += values.bytes.latin1Slice(at, values.from(slot))
      at = values.to(slot)
    }
    return text + values.bytes.latin1Slice(at, values.to(slots.request))
  }

  /** @throws Doubt */
  private numberOf(asked: Json, given: Json = {}): number {
    if (!isObject(asked) || !isObject(given)) throw new Doubt()
    const { messages: _messages, prompt: _prompt, ...rest } = asked
    const sent = Object.entries({ ...rest, ...given }).filter(([, value]) => value !== null)
    if (sent.length === 0) return 0
    const all = Object.fromEntries(sent)
    return this.sent.number(canonical(all), () => all)
  }

  /** The digest of what tells the call apart. */
  private mix(): void {
    const { entry } = this
    const said = entry.said < FAILED ? 0 : entry.said
    let call = mixed(mixed(mixed(entry.reply, said), this.served), this.parameters)
    for (let i = 0; i < entry.amounts.length; i++) {
      const amount = entry.amounts[i]!
      if (amount !== 0) call = mixedNumber(mixed(call, i), amount)
    }
    entry.call = call >>> 0
  }
}
