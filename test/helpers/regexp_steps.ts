/**
 * How much work a backtracking engine has with a pattern, counted in steps and not in seconds: a small engine
 * of the kind V8's is, and texts that make such an engine go back as often as the pattern allows.
 */
import regjsparser, { type RootNode } from 'regjsparser'

type Features = { lookbehind: true; unicodePropertyEscape: true; namedGroups: true }
type Node = RootNode<Features>
/** Matches at a place, then what follows. */
type Matcher = (at: number, next: (at: number) => boolean) => boolean

const FEATURES: Features = { lookbehind: true, unicodePropertyEscape: true, namedGroups: true }

const trees = new WeakMap<RegExp, Node>()

function treeOf(pattern: RegExp): Node {
  let tree = trees.get(pattern)
  if (!tree) {
    tree = regjsparser.parse(pattern.source, pattern.flags.replace(/[^u]/g, ''), FEATURES)
    trees.set(pattern, tree)
  }
  return tree
}

/** Steps to find every match of the pattern in the text; it gives up at `limit`. */
export function stepsOf(pattern: RegExp, text: string, limit: number): number {
  const engine = new Engine(pattern, text, limit)
  const match = engine.matcher(treeOf(pattern))
  try {
    for (let at = 0; at <= text.length; ) {
      let end = -1
      match(at, (to) => {
        end = to
        return true
      })
      if (end < 0 && pattern.sticky) break
      at = end > at ? end : at + 1
    }
  } catch (error) {
    if (error !== engine) throw error
  }
  return engine.steps
}

const charTests = new Map<string, (char: string) => boolean>()

/** Whether a node that takes one character takes this one. */
function charTest(raw: string, flags: string): (char: string) => boolean {
  const key = `${flags}/${raw}`
  const known = charTests.get(key)
  if (known) return known
  const pattern = new RegExp(`^(?:${raw})$`, flags.replace(/[^ius]/g, ''))
  const answers = new Map<string, boolean>()
  const test = (char: string) => {
    let answer = answers.get(char)
    if (answer === undefined) answers.set(char, (answer = pattern.test(char)))
    return answer
  }
  charTests.set(key, test)
  return test
}

class Engine {
  steps = 0
  private readonly flags: string
  private readonly text: string
  private readonly limit: number

  constructor({ flags }: RegExp, text: string, limit: number) {
    this.flags = flags
    this.text = text
    this.limit = limit
  }

  private step(): void {
    if (++this.steps > this.limit) throw this
  }

  matcher(node: Node): Matcher {
    switch (node.type) {
      case 'alternative':
        return this.sequence(node.body)
      case 'disjunction': {
        const either = node.body.map((one) => this.matcher(one))
        return (at, next) => either.some((match) => match(at, next))
      }
      case 'group':
        return this.group(node.behavior, this.sequence(node.body))
      case 'quantifier': {
        const { min, max = Number.POSITIVE_INFINITY, greedy } = node
        const [body] = node.body as [Node]
        return isChar(body)
          ? this.run(charTest(body.raw, this.flags), min, max, greedy)
          : this.repeat(this.matcher(body), min, max, greedy)
      }
      case 'anchor':
        return (at, next) => this.holds(node.kind, at) && next(at)
      case 'reference':
        throw new Error('a backreference: its work cannot be bounded')
      default: {
        const test = charTest(node.raw, this.flags)
        return (at, next) => {
          this.step()
          return at < this.text.length && test(this.text[at]!) && next(at + 1)
        }
      }
    }
  }

  private sequence(nodes: readonly Node[]): Matcher {
    return nodes
      .map((node) => this.matcher(node))
      .reduceRight<Matcher>(
        (rest, first) => (at, next) => first(at, (to) => rest(to, next)),
        (at, next) => next(at),
      )
  }

  private group(behavior: string, inside: Matcher): Matcher {
    if (!/ahead|behind/i.test(behavior)) return inside
    const negative = behavior.startsWith('negative')
    // What is looked back at is a few characters long.
    const starts = (at: number) => (/behind/i.test(behavior) ? [at, at - 1, at - 2, at - 3] : [at])
    return (at, next) => {
      const behind = /behind/i.test(behavior)
      const found = starts(at).some((from) => from >= 0 && inside(from, (to) => !behind || to === at))
      return found !== negative && next(at)
    }
  }

  /** A repeated character: no frame for each. */
  private run(test: (char: string) => boolean, min: number, max: number, greedy: boolean): Matcher {
    return (at, next) => {
      let count = 0
      const more = () => {
        this.step()
        return count < max && at + count < this.text.length && test(this.text[at + count]!)
      }
      if (!greedy) {
        while (count < min) {
          if (!more()) return false
          count++
        }
        for (;;) {
          if (next(at + count)) return true
          if (!more()) return false
          count++
        }
      }
      while (more()) count++
      for (; count >= min; count--) {
        this.step()
        if (next(at + count)) return true
      }
      return false
    }
  }

  private repeat(body: Matcher, min: number, max: number, greedy: boolean): Matcher {
    const from = (count: number): Matcher => {
      return (at, next) => {
        this.step()
        const again = () => count < max && body(at, (to) => to > at && from(count + 1)(to, next))
        if (count < min) return again()
        return greedy ? again() || next(at) : next(at) || again()
      }
    }
    return from(0)
  }

  private holds(kind: string, at: number): boolean {
    this.step()
    const lines = this.flags.includes('m')
    const word = (i: number) => /\w/.test(this.text[i] ?? ' ')
    if (kind === 'start') return at === 0 || (lines && /[\n\r\u2028\u2029]/.test(this.text[at - 1]!))
    if (kind === 'end') return at === this.text.length || (lines && /[\n\r\u2028\u2029]/.test(this.text[at]!))
    return (word(at - 1) !== word(at)) === (kind === 'boundary')
  }
}

const isChar = (node: Node) =>
  ['value', 'dot', 'characterClass', 'characterClassEscape', 'unicodePropertyEscape'].includes(node.type)

const POOL = [...'\n 1aA.-*"[(:,_=<\\/`\ufeff\u2028']

/** Texts of about that length: every run the pattern has, filled with what it takes, behind what leads to it. */
export function* attacks(pattern: RegExp, length: number): Generator<string> {
  const units = new Set<string>()
  collect(treeOf(pattern), '', pattern.flags, units)
  for (const unit of units) {
    const [lead, body] = unit.split('\0') as [string, string]
    const times = Math.ceil(length / body.length)
    yield `${lead}${body.repeat(times)}\0`
    if (lead !== '') yield `${(lead + body).repeat(Math.ceil(length / (lead.length + body.length)))}\0`
  }
  // The character at the end is one that classes such as \S take: white space alone has none of them.
  yield ' '.repeat(length)
  yield '\n'.repeat(length)
  yield ' \n'.repeat(length / 2)
}

/** Adds `lead NUL body` for each quantifier; gives a text the node matches. */
function collect(node: Node, lead: string, flags: string, units: Set<string>): string {
  switch (node.type) {
    case 'alternative':
    case 'group': {
      if (node.type === 'group' && /behind|ahead/i.test(node.behavior)) return ''
      let text = ''
      for (const one of node.body) text += collect(one, lead + text, flags, units)
      return text
    }
    case 'disjunction':
      return node.body.map((one) => collect(one, lead, flags, units))[0]!
    case 'quantifier': {
      const [body] = node.body as [Node]
      const one = collect(body, lead, flags, units)
      const fillings = isChar(body)
        ? POOL.filter(charTest(body.raw, flags)).slice(0, 3)
        : ways(body).map((way) => collect(way, lead, flags, units))
      for (const filling of [one, ...fillings]) if (filling !== '') units.add(`${lead}\0${filling}`)
      // An optional part is left out of what leads to the next.
      return one.repeat(node.min)
    }
    case 'anchor':
    case 'reference':
      return ''
    default:
      // What the pattern begins with, where it may stand here too, begins it again.
      return [...lead.slice(0, 1), ...POOL, node.raw].find(charTest(node.raw, flags)) ?? node.raw
  }
}

/** The alternatives of a group. */
function ways(node: Node): Node[] {
  if (node.type === 'group' && node.body.length === 1) return ways(node.body[0]!)
  return node.type === 'disjunction' ? node.body : []
}
