/** A template of the recorded cases, compiled as Jinja2 was asked to. */
import { compileTemplate } from '../../src/templates/index.ts'

export interface JinjaOptions {
  trim?: boolean
  lstrip?: boolean
  keep?: boolean
  strict?: boolean
}

/** @param folder where its includes are */
export const compiled = (
  template: string,
  { trim, lstrip, keep, strict }: JinjaOptions = {},
  folder?: string,
) =>
  compileTemplate(template, {
    undefined: strict ? 'error' : 'empty',
    trim_blocks: trim,
    lstrip_blocks: lstrip,
    keep_trailing_newline: keep,
    folder,
  })
