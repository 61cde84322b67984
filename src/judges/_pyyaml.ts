/**
 * YAML as PyYAML's SafeLoader reads it, for lm-eval's task files and AutoJudge's workflows: its own kind of YAML 1.1, in
 * which `y` and `1e3` are texts, and 010 and 1:30 are numbers. https://github.com/yaml/pyyaml: lib/yaml/resolver.py and constructor.py
 */
import type { Document, LineCounter, Node, Scalar, YAMLMap } from 'yaml'
import { readYaml } from '../files/data.ts'
import { floatRepr, readFloat, readInt } from '../python/numbers.ts'
import { configError } from '../rows/record.ts'
import { type Example, FloatText } from './_example_schema.ts'

/** `!function utils.name`: a function in a Python file in the task's folder. */
export class PythonFunction {
  readonly text: string
  constructor(name: string) {
    this.text = `!function ${name}`
  }
  toString(): string {
    return this.text
  }
}

/** A date, or a date with a time, as Python's `str` prints it: in values read with `exact`. */
export class TimeText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** Values that aliases may expand to. */
const MAX_VALUES = 100_000

/**
 * The value of a YAML text. Floats keep their form; dates are texts as `str` prints them. A mapping is a Map if an object
 * would change the order of its keys. @param notes repeated keys, and keys that are not strings, are appended
 * @param exact dates are {@link TimeText}, mappings always Maps, with keys of any type
 * @throws Fatal (configuration) with file, line and column
 */
export async function readPyYaml(
  text: string,
  path: string,
  notes: string[],
  exact = false,
): Promise<{ value: Example; document: Document.Parsed; lines: LineCounter }> {
  const { document, lines } = await readYaml(text, path, { schema: 'failsafe', uniqueKeys: false })
  const place = (node: Node) => {
    const { line, col } = lines.linePos(node.range?.[0] ?? 0)
    return `${path}:${line}:${col}`
  }
  const value = new Construction(await import('yaml'), document, place, notes, exact).read(document.contents)
  return { value, document, lines }
}

/** PyYAML's constructor, over the nodes of another parser. */
class Construction {
  /** Lists and mappings that the present node is in. */
  private readonly open = new Set<Node>()
  private values = 0

  private readonly yaml: typeof import('yaml')
  private readonly document: Document.Parsed
  private readonly place: (node: Node) => string
  private readonly notes: string[]
  private readonly exact: boolean

  constructor(
    yaml: typeof import('yaml'),
    document: Document.Parsed,
    place: (node: Node) => string,
    notes: string[],
    exact: boolean,
  ) {
    this.yaml = yaml
    this.document = document
    this.place = place
    this.notes = notes
    this.exact = exact
  }

  read(given: unknown): Example {
    const node = this.target(given)
    if (!node) return null
    if (++this.values > MAX_VALUES)
      throw this.refusal(node, `aliases (*) expand to more than ${MAX_VALUES} values`)
    if (this.yaml.isScalar(node)) return this.scalar(node)
    if (node.tag && !/^tag:yaml\.org,2002:(map|seq)$/.test(node.tag))
      throw this.refusal(node, `the tag ${node.tag} cannot be read`)
    return this.within(node, () =>
      this.yaml.isSeq(node) ? node.items.map((one) => this.read(one)) : this.mapping(node as YAMLMap),
    )
  }

  private refusal(node: Node, message: string): Error {
    return configError(`${this.place(node)}: ${message}`)
  }

  /** The node that an alias refers to. */
  private target(node: unknown): Node | null {
    if (!this.yaml.isAlias(node)) return node as Node | null
    const target = node.resolve(this.document)
    if (!target) throw this.refusal(node, `no anchor &${node.source} before it`)
    return target
  }

  private within<T>(node: Node, action: () => T): T {
    if (this.open.has(node)) throw this.refusal(node, 'an alias (*) refers to a value that contains it')
    this.open.add(node)
    const value = action()
    this.open.delete(node)
    return value
  }

  private mapping(map: YAMLMap): Example {
    const { own, merged } = this.pairsOf(map)
    const found = new Map<string, [key: Example, value: Example]>()
    for (const [key, value] of merged) {
      const [name, as] = this.keyOf(key)
      found.set(name, [as, this.read(value)])
    }
    const seen = new Set<string>()
    for (const [key, value] of own) {
      const [name, as] = this.keyOf(key)
      if (seen.has(name))
        this.notes.push(`${this.place(key)}: ${String(as)} occurs twice: the last one counts, as in Python`)
      seen.add(name)
      found.set(name, [as, this.read(value)])
    }
    const made = new Map([...found.values()] as [string, Example][])
    // An object would put such keys first.
    return this.exact || [...made.keys()].some((name) => /^\d+$/.test(name)) ? made : Object.fromEntries(made)
  }

  /** A mapping's own pairs, and those of its `<<`. */
  private pairsOf(map: YAMLMap): { own: Pair[]; merged: Pair[] } {
    const own: Pair[] = []
    const merged: Pair[] = []
    for (const { key, value } of map.items) {
      const name = this.target(key) as Scalar
      if (name.type !== 'PLAIN' || name.tag || name.source !== '<<') {
        own.push([name, value])
        continue
      }
      const from = this.target(value)
      // The first of a list overrides the others.
      for (const one of this.yaml.isSeq(from)
        ? from.items.map((each) => this.target(each)).reverse()
        : [from]) {
        if (!this.yaml.isMap(one))
          throw this.refusal(name, '"<<" must be followed by a mapping (*name), or a list of them')
        const its = this.within(one, () => this.pairsOf(one))
        merged.push(...its.merged, ...its.own)
      }
    }
    return { own, merged }
  }

  /** A key: what tells it apart, and what it is in the mapping. */
  private keyOf(key: Scalar): [name: string, as: Example] {
    const value = this.scalar(key)
    if (typeof value === 'string') return [`"${value}`, value]
    if (value instanceof PythonFunction) throw this.refusal(key, `${value} cannot be a key`)
    const name = String(value)
    if (this.exact) return [name, value]
    const what = value === null || typeof value === 'boolean' ? name : 'a number'
    this.notes.push(
      `${this.place(key)}: the key ${key.source} is ${what} in YAML: in templates it is the text "${name}"`,
    )
    return [`"${name}`, name]
  }

  private scalar(node: Scalar): Example {
    const source = node.source ?? ''
    const tag = node.tag?.replace('tag:yaml.org,2002:', '')
    if (tag === '!function') return new PythonFunction(source)
    if (node.type !== 'PLAIN' && (tag === undefined || tag === '!')) return source
    const read = tag === undefined || tag === '!' ? implicit : TAGGED[tag]
    const value = read?.(source, this.exact)
    if (value !== undefined) return value
    throw this.refusal(
      node,
      `${node.tag ?? 'a date'}: ${read ? `${JSON.stringify(source)} is not valid` : 'this tag cannot be read'}`,
    )
  }
}

type Pair = [key: Scalar, value: unknown]

const INT =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const TRUE = /^(?:yes|true|on)$/i
const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(?:(Z)|([-+])(\d\d?)(?::(\d\d))?))?$/

const DATE = /^\d{4}-\d\d-\d\d$/

/** The value of a plain scalar without a tag; undefined for a day that there is not. */
function implicit(text: string, exact: boolean): Example | undefined {
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null
  if (BOOL.test(text)) return TRUE.test(text)
  if (INT.test(text)) return intOf(text) ?? text
  if (FLOAT.test(text)) return floatOf(text)
  if (!exact) return TIME.test(text) ? timeOf(text) : text
  return DATE.test(text) || TIME.test(text) ? timeIn(text) : text
}

/** A date, or a date with a time; undefined for a text that is none, or a day that there is not. */
function timeIn(text: string): TimeText | undefined {
  const time = TIME.test(text) ? timeOf(text) : text
  return DATE.test(time.slice(0, 10)) && isDay(time.slice(0, 10)) ? new TimeText(time) : undefined
}

const isDay = (date: string) => new Date(`${date}T00:00Z`).toJSON()?.slice(0, 10) === date

const TAGGED: Record<string, (text: string, exact: boolean) => Example | undefined> = {
  str: (text) => text,
  null: () => null,
  bool: (text) => (/^(?:yes|no|true|false|on|off)$/i.test(text) ? TRUE.test(text) : undefined),
  int: (text) => (INT.test(text) ? intOf(text) : readInt(text.replaceAll('_', ''))),
  float(text) {
    if (FLOAT.test(text)) return floatOf(text)
    const value = readFloat(text.replaceAll('_', ''))
    return value === undefined ? undefined : new FloatText(floatRepr(value))
  },
  timestamp: (text, exact) => (exact ? timeIn(text) : undefined),
}

const sexagesimal = (digits: string) => digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)

/** A whole number, exact; undefined for a prefix without digits. */
function intOf(text: string): number | bigint | undefined {
  const digits = text.replace(/^[-+]|_/g, '')
  if (/^0[bx]$/.test(digits)) return undefined
  const size = digits.includes(':')
    ? BigInt(sexagesimal(digits))
    : BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits)
  const value = text.startsWith('-') ? -size : size
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function floatOf(text: string): FloatText {
  const digits = text.replace(/^[-+]|_/g, '').toLowerCase()
  const size =
    digits === '.inf' ? Number.POSITIVE_INFINITY : digits.includes(':') ? sexagesimal(digits) : Number(digits)
  return new FloatText(floatRepr(text.startsWith('-') ? -size : size))
}

/** As `str` prints a datetime: `2001-12-14 21:59:43.100000-05:00`. */
function timeOf(text: string): string {
  const [, year, month, day, hour, minute, second, fraction = '', zulu, sign, hours, minutes = '00'] =
    TIME.exec(text)!
  const two = (part: string) => part.padStart(2, '0')
  const micro = fraction.slice(0, 6).padEnd(6, '0')
  const zone = zulu ? '+00:00' : sign ? `${sign}${two(hours!)}:${minutes}` : ''
  return `${year}-${two(month!)}-${two(day!)} ${two(hour!)}:${minute}:${second}${micro === '000000' ? '' : `.${micro}`}${zone}`
}
