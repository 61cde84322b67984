/* Types as values: `x.__class__`, and the globals `dict` and `range`. Their names can be read, no more. */
import { typeError } from '../templates/error.ts'
import { type Kwargs, Obj, Tuple, typeName, type Value } from './values.ts'

type Construct = (args: Value[], kwargs: Kwargs | undefined) => Value

export class Type extends Obj {
  readonly type = 'type'
  readonly name: string
  private readonly construct: Construct | undefined
  private readonly members: Record<string, Value>

  constructor(name: string, construct?: Construct, members: Record<string, Value> = {}) {
    super()
    this.name = name
    this.construct = construct
    this.members = members
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    if (!this.construct) throw typeError(`'${this.name}' can't be called from a template`)
    return this.construct(args, kwargs)
  }

  override attr(name: string): Value | undefined {
    const dot = this.name.lastIndexOf('.')
    if (name === '__name__' || name === '__qualname__') return this.name.slice(dot + 1)
    if (name === '__module__') return dot < 0 ? 'builtins' : this.name.slice(0, dot)
    if (name === '__mro__') return new Tuple(ancestors(this).map(typeNamed))
    if (name === '__bases__') return new Tuple(ancestors(this).slice(1, 2).map(typeNamed))
    if (name === '__base__') return ancestors(this).slice(1, 2).map(typeNamed)[0] ?? null
    return Object.hasOwn(this.members, name) ? this.members[name] : undefined
  }

  override equals(other: Value): boolean {
    return other instanceof Type && other.name === this.name
  }

  override repr(): string {
    return `<class '${this.name}'>`
  }
}

const PARENTS: Record<string, string> = {
  bool: 'int',
  'markupsafe.Markup': 'str',
  'jinja2.runtime.StrictUndefined': 'jinja2.runtime.Undefined',
}

const ancestors = ({ name }: Type): string[] => {
  if (name === 'object') return [name]
  const parent = PARENTS[name]
  return parent ? [name, parent, 'object'] : [name, 'object']
}

const known = new Map<string, Type>()

/** The one type of a name. */
export const typeNamed = (name: string): Type => {
  const type = known.get(name) ?? new Type(name)
  known.set(name, type)
  return type
}

/** `value.__class__`. */
export const typeOf = (value: Value): Type => typeNamed(typeName(value))
