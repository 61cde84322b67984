/* What a template writes on. */
import { limitError } from './error.ts'
import { MAX_LENGTH, spend } from './limits.ts'

export class Sheet {
  out = ''

  write(text: string): void {
    this.out += text
    if (this.out.length > MAX_LENGTH) throw limitError('the output is too long')
  }

  /** What `run` writes, as text of its own. */
  capture(run: () => void): string {
    const before = this.out
    this.out = ''
    run()
    const text = this.out
    this.out = before
    spend(text.length >> 6)
    return text
  }
}
