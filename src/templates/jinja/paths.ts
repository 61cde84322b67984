/* The way to a value, as a template writes it: what a message about a missing field names. */
import { str } from '../../python/print.ts'
import type { Expr } from './nodes.ts'

/** How the template writes where it looks, if it does so by names: `item.title`. */
export const pathOf = (node: Expr): string | undefined => {
  if (node.typename === 'Symbol') return node.value
  if (node.typename !== 'LookupVal') return undefined
  const target = pathOf(node.target)
  if (target === undefined) return undefined
  if (typeof node.val === 'string') return `${target}.${node.val}`
  if (node.val.typename !== 'Literal') return undefined
  const { value } = node.val
  return typeof value === 'string' ? `${target}.${value}` : `${target}[${str(value)}]`
}
