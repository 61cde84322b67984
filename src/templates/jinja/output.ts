/* What is printed, and `if`. */

import { toMarkup } from '../../python/markup.ts'
import { str } from '../../python/print.ts'
import { truthy, type Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import { MAX_LENGTH } from '../limits.ts'
import { asConstant } from './constants.ts'
import type { Frame } from './context.ts'
import { LoopCompiler } from './loops.ts'
import type { Expr, Node } from './nodes.ts'
import type { Evaluate, Execute, Scope } from './scope.ts'

/** Something printed, and the text before it. */
interface Print {
  before: string
  evaluate: Evaluate
  print(value: Value, frame: Frame): string
  place: Expr
}

/** Output at the top level counts only while the template doesn't extend another. */
export const unlessExtended =
  (run: Execute): Execute =>
  (frame) => {
    let root = frame
    while (root.parent) root = root.parent
    if (!root.extended) run(frame)
  }

export abstract class OutputCompiler extends LoopCompiler {
  /** Set once the template is known to extend another: what it prints itself doesn't count. */
  protected hasKnownExtends = false

  /** How an expression is evaluated and printed here: escaped or not. What Jinja2 computes when it compiles
   * is escaped by what is known then. */
  protected printed(node: Expr, scope: Scope): Pick<Print, 'evaluate' | 'print'> {
    const escaped = (value: Value) => toMarkup(value).text
    const constant = asConstant(node, scope, this, true)
    const evaluate = constant ?? this.expr(node, scope)
    if (constant || !this.volatile) return { evaluate, print: this.autoescape ? escaped : str }
    return { evaluate, print: (value, frame) => (frame.context.autoescape ? escaped(value) : str(value)) }
  }

  protected output(node: Node<'Output'>, scope: Scope): Execute | undefined {
    if (scope.outputCheck && this.hasKnownExtends) return undefined
    const prints: Print[] = []
    let text = ''
    for (const child of node.children) {
      if (child.typename === 'TemplateData') text += child.value
      else {
        prints.push({ before: text, place: child, ...this.printed(child, scope) })
        text = ''
      }
    }
    const write = this.writer(prints, text)
    return scope.outputCheck ? unlessExtended(write) : write
  }

  protected writer(prints: readonly Print[], rest: string): Execute {
    // Jinja2 asks whether text is to be escaped, too, though it never is.
    if (this.volatile) return this.volatileWriter(prints, rest)
    if (prints.length === 0) return (frame) => frame.render.write(rest)
    return (frame) => {
      const { render } = frame
      let i = 0
      try {
        for (; i < prints.length; i++) {
          const { before, evaluate, print } = prints[i]!
          const text = print(evaluate(frame), frame)
          render.out += before + text
          if (render.out.length > MAX_LENGTH) render.write('')
        }
      } catch (error) {
        throw locate(error, prints[i]!.place, this.name)
      }
      render.write(rest)
    }
  }

  protected volatileWriter(prints: readonly Print[], rest: string): Execute {
    this.volatile = false
    const write = this.writer(prints, rest)
    this.volatile = true
    const hasText = rest !== '' || prints.some(({ before }) => before !== '')
    return (frame) => {
      if (hasText) void frame.context.autoescape
      write(frame)
    }
  }

  protected condition(node: Expr, scope: Scope): (frame: Frame) => boolean {
    const evaluate = this.expr(node, scope)
    return (frame) => {
      try {
        return truthy(evaluate(frame))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  protected if(node: Node<'If'>, scope: Scope): Execute {
    const branches = [node, ...node.elifs].map(({ cond, body }) => ({
      holds: this.condition(cond, scope),
      run: this.body(body, scope),
    }))
    const otherwise = this.body(node.else_, scope)
    return (frame) => {
      for (const { holds, run } of branches) if (holds(frame)) return run(frame)
      otherwise(frame)
    }
  }
}
