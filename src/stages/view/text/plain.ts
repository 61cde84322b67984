/** Text for a terminal: folded to a width, with control characters made visible. */

import { textWidth } from '../../../formats/_text_width.ts'
import { HIDDEN, pictureOf } from '../page/hidden.ts'

/** The text with control, invisible and bidirectional characters made visible. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => {
    const shown = pictureOf(character)
    return shown.length > 1 ? `<${shown}>` : shown
  })

/** The text on one line, cut to a width. */
export function oneLine(text: string, width: number): string {
  const safe = visible(text).replace(/\s+/g, ' ')
  if (textWidth(safe) <= width) return safe
  let kept = ''
  let taken = 1
  for (const letter of safe) {
    taken += textWidth(letter)
    if (taken > width) break
    kept += letter
  }
  return `${kept}…`
}

/** The text in lines of at most `width` columns, broken at spaces if possible. */
export function folded(text: string, width: number): string[] {
  const safe = visible(text.replaceAll('\r\n', '\n')).replaceAll('\t', '    ')
  return safe.split('\n').flatMap((line) => foldLine(line.trimEnd(), Math.max(10, width)))
}

function foldLine(line: string, width: number): string[] {
  const lines: string[] = []
  let now = ''
  let taken = 0
  const put = () => {
    lines.push(now.trimEnd())
    now = ''
    taken = 0
  }
  for (const word of line.match(/\s+|\S+/g) ?? ['']) {
    const wide = textWidth(word)
    if (taken + wide <= width) {
      now += word
      taken += wide
    } else if (/^\s/.test(word)) put()
    else if (wide <= width) {
      put()
      now = word
      taken = wide
    } else {
      // A word longer than a line: an address begins a line, a text without spaces goes on.
      if (taken > 0 && wide === word.length) put()
      for (const letter of word) {
        const columns = textWidth(letter)
        if (taken + columns > width) put()
        now += letter
        taken += columns
      }
    }
  }
  put()
  return lines
}
