/* Random templates of few names used for everything: what is set, called, included and extended where. */
import type { Choices } from './random.ts'

const NAMES = ['a', 'b', 'c', 'i', 'm', 'n']
const WORDS = ['', 'x', ' ', '\n', 'y\n', '  ']

export class StructureMaker {
  private readonly choices: Choices
  private loops = 0
  private blocks = 0
  private files = true

  constructor(choices: Choices, files = true) {
    this.choices = choices
    this.files = files
  }

  template(): string {
    return this.body(4, 6)
  }

  private body(depth: number, most: number): string {
    return this.choices.many(1, most, () => this.piece(depth)).join('')
  }

  private name(): string {
    return this.choices.pick(NAMES)
  }

  /** Two names: of a name that stands twice CPython itself makes now the one value, now the other. */
  private pair(): string {
    return this.choices.pick(['a, b', 'c, a', 'i, m', 'm, n', 'b, i', 'n, c'])
  }

  private tag(content: string): string {
    const { choices } = this
    return `${choices.pick(['{%', '{%', '{%', '{%-'])} ${content} ${choices.pick(['%}', '%}', '%}', '-%}'])}`
  }

  /** A small value: mostly a name. */
  private value(): string {
    const { choices } = this
    const loop = this.loops > 0 ? [this.loopValue(), this.loopValue()] : ['loop']
    return choices.pick([
      ...NAMES,
      ...loop,
      '1',
      "'s'",
      '[1, 2]',
      `${this.name()} ~ 'z'`,
      `${this.name()} or ${this.name()}`,
      `${this.name()} is defined`,
      this.call(choices.pick(['', '1', this.name(), 'a=2', `1, ${this.name()}`, `b=${this.name()}`])),
      'ns.v',
      `[${this.name()}, ${this.name()}]`,
      'caller',
      'varargs',
      'kwargs',
      `${this.name()} if ${this.name()} else ${this.name()}`,
    ])
  }

  /** A call, mostly only of what can be called. */
  private call(args: string, name = this.name()): string {
    const call = `${name}(${args})`
    return this.choices.chance(0.9) ? `(${call} if ${name} is callable and ${name} is defined)` : call
  }

  private loopValue(): string {
    return this.choices.pick([
      'loop.index',
      'loop.first',
      'loop.last',
      'loop.length',
      'loop.revindex0',
      'loop.depth',
      'loop.previtem',
      'loop.nextitem',
      `loop.cycle('p', 'q', ${this.name()})`,
      `loop.changed(${this.name()})`,
      `loop.changed(${this.name()}, ${this.name()})`,
      'loop',
    ])
  }

  private piece(depth: number): string {
    const { choices } = this
    if (depth <= 0 || choices.chance(0.35)) {
      return choices.one(
        () => choices.pick(WORDS),
        () => `{{ ${this.value()} }}`,
        () => `{{ ${this.name()} }}`,
        () => this.tag(`set ${this.name()} = ${this.value()}`),
        () => this.tag(`set ${this.pair()} = ${this.name()}, ${this.value()}`),
        () =>
          choices.chance(0.1)
            ? this.tag(`set ns.v = ${this.value()}`)
            : this.tag('set ns = namespace(v=0)') + this.tag(`set ns.v = ${this.value()}`),
      )
    }
    return choices.one(
      () => this.if(depth),
      () => this.if(depth),
      () => this.for(depth),
      () => this.for(depth),
      () => this.macro(depth),
      () => this.macro(depth),
      () => this.callBlock(depth),
      () => this.with(depth),
      () =>
        `${this.tag(`set ${this.name()}${choices.pick(['', ' | upper', " | replace('s', n)"])}`)}${this.body(depth - 1, 3)}${this.tag('endset')}`,
      () =>
        `${this.tag(`filter ${choices.pick(['upper', "replace('s', 'T')", 'trim', `default(${this.name()})`])}`)}${this.body(depth - 1, 3)}${this.tag('endfilter')}`,
      () => this.block(depth),
      () => this.recursive(depth),
      () => (this.files ? this.other() : ''),
      () =>
        choices.chance(0.3)
          ? `${this.tag(`autoescape ${choices.pick(['true', 'false', 'a'])}`)}${this.body(depth - 1, 3)}${this.tag('endautoescape')}`
          : this.for(depth),
    )
  }

  private if(depth: number): string {
    const { choices } = this
    const test = () =>
      choices.pick([
        'true',
        'false',
        this.name(),
        `${this.name()} is defined`,
        `not ${this.name()}`,
        this.value(),
      ])
    let text = this.tag(`if ${test()}`) + this.body(depth - 1, 3)
    if (choices.chance(0.3)) text += this.tag(`elif ${test()}`) + this.body(depth - 1, 2)
    if (choices.chance(0.5)) text += this.tag('else') + this.body(depth - 1, 2)
    return text + this.tag('endif')
  }

  private for(depth: number): string {
    const { choices } = this
    const [target, source] = choices.pick([
      [this.name(), '[1, 2, 2]'],
      [this.name(), "'st'"],
      [this.name(), this.name()],
      [this.name(), `[${this.name()}, ${this.name()}]`],
      [this.pair(), '[(1, 2), (3, 4)]'],
      [this.name(), 'range(2)'],
      [this.name(), '[]'],
    ] as [string, string][])
    const test = choices.chance(0.25)
      ? ` if ${choices.pick([`${this.name()} is defined`, this.name(), `${this.name()} != 1`, 'loop is defined'])}`
      : ''
    this.loops++
    const body = this.body(depth - 1, 4)
    this.loops--
    const otherwise = choices.chance(0.25) ? this.tag('else') + this.body(depth - 1, 2) : ''
    return `${this.tag(`for ${target} in ${source}${test}`)}${body}${otherwise}${this.tag('endfor')}`
  }

  private recursive(depth: number): string {
    this.loops++
    const body = this.body(depth - 1, 3)
    this.loops--
    const name = this.name()
    const again = `{{ loop(${name}.k${this.choices.pick(['', ' or []'])}) if ${name}.k }}`
    const source = "[{'k': [{'k': []}, {'v': 1}]}, {'k': [{'k': [{}]}]}]"
    return `${this.tag(`for ${name} in ${source}${this.choices.pick(['', ` if ${this.name()} is defined`])} recursive`)}${body}${again}${this.choices.chance(0.3) ? this.tag('else') + this.body(depth - 1, 1) : ''}${this.tag('endfor')}`
  }

  private macro(depth: number): string {
    const { choices } = this
    const name = this.name()
    const params = choices.pick([
      '',
      this.name(),
      `${choices.pick(['a', 'b'])}, c=${this.name()}`,
      'a=1, b=a',
      `b=${this.value()}`,
      'caller',
      'a, caller=none',
    ])
    const inside = this.loops
    this.loops = choices.chance(0.9) ? 0 : inside
    const body = this.body(depth - 1, 4)
    this.loops = inside
    const args = choices.pick(
      params === '' ? ['', '', ''] : ['', '1', '1', 'n', "'u', 2", '*[1, 2]', "**{'a': 5}", 'b=1, c=2'],
    )
    const call = () => `{{ ${name}(${args}) }}`
    return `${this.tag(`macro ${name}(${params})`)}${body}${this.tag('endmacro')}${choices.many(0, 2, call).join('')}`
  }

  private callBlock(depth: number): string {
    const { choices } = this
    const name = this.name()
    const args = choices.pick(['', '', '(a)', '(b, c=1)', '(i=n)'])
    const given = choices.pick(['', '1', "a='g'", '1, 2', this.name()])
    const macro = choices.chance(0.7)
      ? `${this.tag(`macro ${name}(${choices.pick(['', 'a', 'b=2'])})`)}${this.body(depth - 1, 2)}<{{ caller(${args === '' ? '' : given})${choices.pick(['', ' if caller'])} }}>${this.body(depth - 1, 1)}${this.tag('endmacro')}`
      : ''
    return `${macro}${this.tag(`call${args} ${name}(${choices.pick(['', '1', this.name()])})`)}${this.body(depth - 1, 3)}${this.tag('endcall')}`
  }

  private with(depth: number): string {
    const { choices } = this
    const head = choices.pick([
      'with',
      `with ${this.name()} = ${this.value()}`,
      `with a = ${this.value()}, b = a`,
      `with a = b, b = a`,
      `with ${this.pair()} = (1, ${this.name()})`,
    ])
    return `${this.tag(head)}${this.body(depth - 1, 4)}${this.tag('endwith')}`
  }

  private block(depth: number): string {
    const { choices } = this
    const name = choices.pick(['one', 'two', `own${this.blocks++}`, `own${this.blocks++}`])
    const head = `block ${name}${choices.pick(['', '', ' scoped', ' required', ' scoped required'])}`
    const body = head.endsWith('required') ? choices.pick(['', ' ', '\n', 'x']) : this.body(depth - 1, 3)
    return `${this.tag(head)}${body}${this.tag(choices.pick(['endblock', `endblock ${name}`]))}${choices.chance(0.2) ? `{{ self.${name}() }}` : ''}`
  }

  private other(): string {
    const { choices } = this
    const file = choices.pick([
      "'s1.j2'",
      "'s2.j2'",
      "'s3.j2'",
      "['none.j2', 's1.j2']",
      'a',
      "'s' ~ 2 ~ '.j2'",
    ])
    const context = choices.pick(['', '', ' with context', ' without context'])
    return choices.one(
      () => `{% include ${file}${choices.pick(['', ' ignore missing', ' with context'])} %}`,
      () =>
        `{% import ${choices.pick(["'s1.j2'", "'s2.j2'", "'s3.j2'"])} as ${this.name()}${context} %}{{ ${this.name()}.${this.name()} }}{{ a.m(1) if a.m }}{{ i.b(1) if i.b }}`,
      () =>
        `{% from ${choices.pick(["'s1.j2'", "'s2.j2'", "'s3.j2'"])} import ${this.name()}${choices.pick(['', ' as a', ', b', ', m as n'])}${context} %}{{ ${this.name()} }}{{ ${this.call('')} }}`,
    )
  }
}

/** A template that extends others; blocks of few names meet. */
export const structureChild = (choices: Choices): string => {
  const maker = () => new StructureMaker(choices)
  const parent = choices.pick(["'p1.j2'", "'p2.j2'", "'p3.j2'", "a or 'p1.j2'", "'p1.j2' if b else 'p3.j2'"])
  const block = (name: string): string =>
    `{% block ${name}${choices.pick(['', '', ' scoped'])} %}${choices.pick(['', '{{ super() }}', '[{{ super() }}]', '{{ super.super() }}', '{{ self.two() }}'])}${maker().template()}{% endblock %}`
  const blocks = ['one', 'two', 'three'].filter(() => choices.chance(0.6)).map(block)
  const head = choices.chance(0.3) ? maker().template() : choices.pick(WORDS)
  const extend = choices.chance(0.15)
    ? `{% if ${choices.pick(NAMES)} %}{% extends ${parent} %}{% endif %}`
    : `{% extends ${parent} %}`
  return head + extend + blocks.join(choices.pick(['', 'lost', '{% set a = 7 %}', '{{ a }}']))
}

/** What they include, import and extend. */
export const STRUCTURE_FILES: Record<string, string> = {
  's1.j2':
    '({{ a }}{{ i }}{% set a = 11 %}{{ a }}{% macro m(x) %}M{{ x }}{{ a }}{{ b }}{% endmacro %}{% for n in [1] %}{% set b = n %}{% endfor %}{{ b }})',
  's2.j2':
    "{% from 's1.j2' import m %}{% set n = 'two' %}{% macro a(b='B') %}{{ b }}{{ n }}{{ caller() if caller }}{% endmacro %}{{ c }}{% include 's1.j2' %}",
  's3.j2':
    '{% macro b() %}{{ i }}{{ varargs }}{{ kwargs }}{% endmacro %}{% if c %}{% set c = 3 %}{% endif %}{% set m = c %}{% block one %}{{ m }}{{ c }}{% endblock %}',
  'p1.j2':
    "p1<{% set b = 'pb' %}{% block one %}one{{ a }}{{ b }}{% endblock %}|{% for i in [1, 2] %}{% block two scoped %}{{ i }}{{ loop.last }}{% endblock %}{% endfor %}>{{ c }}",
  'p2.j2':
    "{% set c = 'pc' %}{% extends 'p1.j2' %}{% block one %}p2({{ super() }}{{ c }}{% block three %}3{{ n }}{% endblock %}){% endblock %}",
  'p3.j2':
    '{% macro m(n) %}{{ n }}{{ a }}{% endmacro %}p3{% block three %}{{ m(1) }}{{ self.one() }}{% endblock %}{% block one %}{{ b }}{% endblock %}{% with a = 5 %}{% block two %}{{ a }}{% endblock %}{% endwith %}',
}
