/* What nunjucks' modules give: a module of its own, for types that say more stand in what the package exports. */

export interface NunjucksToken {
  type: string
  value: unknown
  lineno: number
  colno: number
}

export interface NunjucksTokenizer {
  readonly str: string
  readonly len: number
  index: number
  lineno: number
  colno: number
  nextToken(): NunjucksToken | null
}

export interface NunjucksNode {
  readonly typename: string
  lineno: number
  colno: number
}

export interface NunjucksNodeClass {
  new (lineno: number, colno: number, ...fields: unknown[]): NunjucksNode
  extend(name: string, props?: { fields: string[] }): NunjucksNodeClass
}
