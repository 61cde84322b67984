/**
 * JUnit's XML, as GitLab, Jenkins and GitHub's actions read it: a testsuite a run (and group of --by), a testcase an item.
 * GitLab shows an element's text alone, tells cases apart by classname and name, and refuses files of 30 MB.
 */
import {
  CHECK_OPTIONS,
  type CheckedItem,
  type CheckOptions,
  Checks,
  checkFields,
  type Suite,
} from './_checks.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'JUnit’s XML for CI: a testsuite a run, a testcase an item; --pass X or labels say which fail',
  fields: checkFields,
  writeOptions: CHECK_OPTIONS,
  async *write(rows, options, context) {
    const checks = new Checks(options as CheckOptions, context)
    const room = new Room()
    const suites = new Map<Suite, Cases>()
    for await (const check of checks.of(rows)) {
      const own = suites.get(check.suite) ?? new Cases(check.suite.name, room)
      suites.set(check.suite, own)
      own.add(check)
    }
    const gates = new Cases('gates', new Room())
    for (const { run, asks, missed = '' } of checks.gates())
      gates.add({
        item: `${run}: ${asks}`,
        outcome: { is: missed ? 'failed' : 'passed', type: 'gate', message: missed, reason: '' },
        ms: 0,
      })
    const all = [...suites.values(), ...(gates.counts.tests > 0 ? [gates] : [])]
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="jb"${countsOf(all)}>\n`
    for (const [suite, cases] of suites) yield* cases.lines(suite)
    if (gates.counts.tests > 0) yield* gates.lines()
    yield '</testsuites>\n'
  },
}

/** A case that is written, unless there is no room. */
interface Case {
  text: string
  of: Cases
}

/** Cases and bytes that a file may have; of those that did not fail, later ones make way for failed ones. */
class Room {
  private cases = 20_000
  private bytes = 25e6
  private readonly yielding: Case[] = []

  /** @returns whether there is room for it */
  take(one: Case, failed: boolean): boolean {
    const isFull = () => this.cases < 1 || this.bytes < one.text.length
    while (failed && isFull() && this.yielding.length > 0) this.give(this.yielding.pop()!)
    if (isFull()) return false
    this.cases--
    this.bytes -= one.text.length
    if (!failed) this.yielding.push(one)
    return true
  }

  private give(one: Case): void {
    this.cases++
    this.bytes += one.text.length
    one.text = ''
    one.of.leftOut++
  }
}

class Cases {
  readonly counts = { tests: 0, failures: 0, errors: 0, skipped: 0, ms: 0 }
  leftOut = 0
  private readonly name: string
  private readonly room: Room
  private readonly cases: Case[] = []
  private readonly names = new Map<string, number>()

  constructor(name: string, room: Room) {
    this.name = name
    this.room = room
  }

  add({ item, outcome, ms }: Omit<CheckedItem, 'suite'>): void {
    const { counts } = this
    counts.tests++
    counts.ms += ms
    if (outcome.is === 'failed') counts.failures++
    if (outcome.is === 'error') counts.errors++
    if (outcome.is === 'skipped') counts.skipped++
    const count = (this.names.get(item) ?? 0) + 1
    this.names.set(item, count)
    const name = count === 1 ? item : `${item} #${count}`
    const head = `    <testcase classname="${inXml(this.name)}" name="${inXml(name)}" time="${ms / 1000}"`
    const inner = within(outcome)
    const text = inner === '' ? `${head}/>\n` : `${head}>\n      ${inner}\n    </testcase>\n`
    const one: Case = { text, of: this }
    if (this.room.take(one, outcome.is === 'failed' || outcome.is === 'error')) this.cases.push(one)
    else this.leftOut++
  }

  *lines(suite?: Suite): Generator<string> {
    yield `  <testsuite name="${inXml(this.name)}"${countsOf([this])}>\n`
    if (suite) {
      const { accuracy, score } = suite.group.report({ ci: 0.95 })
      const { tests, errors, skipped } = this.counts
      const known = { accuracy, score, valid: tests - errors - skipped, left_out: this.leftOut }
      const lines = Object.entries(known).filter(([, value]) => typeof value === 'number')
      yield `    <properties>\n${lines.map(([key, value]) => `      <property name="${key}" value="${value}"/>\n`).join('')}    </properties>\n`
    }
    for (const { text } of this.cases) yield text
    yield '  </testsuite>\n'
  }
}

function countsOf(all: readonly Cases[]): string {
  const sum = (key: keyof Cases['counts']) => all.reduce((total, { counts }) => total + counts[key], 0)
  return ` tests="${sum('tests')}" failures="${sum('failures')}" errors="${sum('errors')}" skipped="${sum('skipped')}" time="${sum('ms') / 1000}"`
}

/** The most characters of a message and of a reason. */
const MESSAGE = 200
const REASON = 1000

/** What stands in a testcase. */
function within({ is, type, message, reason }: CheckedItem['outcome']): string {
  if (is === 'passed') return ''
  const said = message.slice(0, MESSAGE)
  if (is === 'skipped') return `<skipped>${inXml(said)}</skipped>`
  const text = [said, reason.slice(0, REASON)].filter(Boolean).join('\n')
  const name = is === 'failed' ? 'failure' : 'error'
  return `<${name} type="${inXml(type)}" message="${inXml(said)}">${inXml(text, false)}</${name}>`
}

/** Characters that XML 1.0 (2.2) does not have, half pairs among them. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** @param attribute line ends, which readers make spaces of in an attribute, are written as references */
const inXml = (text: string, attribute = true): string => {
  const escaped = text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"\r]/g, (one) => ESCAPES[one]!)
  return attribute ? escaped.replace(/[\n\t]/g, (one) => `&#${one.charCodeAt(0)};`) : escaped
}
