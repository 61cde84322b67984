/** Names of files, made from texts of the data: a model's, a task's. */
import { sha256 } from '../rows/crypto.ts'

/** The longest name in bytes; file systems take 255, and a temporary file's ending is added. */
const MOST = 200

/** What no name of a file may have on some system: these become `__`, as in lm-evaluation-harness. */
const FORBIDDEN = /["<>:/|\\?*[\]\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu

/**
 * A text as the name of a file in its folder: never empty, hidden, `..` or a path.
 * @param ending of the file, which the text cannot change
 */
export function fileName(text: string, ending = ''): string {
  const name = text.replace(FORBIDDEN, '__').replace(/^\.+/, (dots) => '_'.repeat(dots.length)) || '_'
  return Buffer.byteLength(name + ending) <= MOST ? name + ending : distinct(name, text, ending)
}

/** The same with a digest of a text that is not the name, so that no other text has it. */
export function uniqueName(text: string, ending = ''): string {
  const name = fileName(text, ending)
  return name === text + ending ? name : distinct(fileName(text), text, ending)
}

/** The name, cut where it is too long, and a digest of the text that it is of. */
function distinct(name: string, text: string, ending: string): string {
  const digest = sha256(text).slice(0, 16)
  const room = MOST - digest.length - 1 - Buffer.byteLength(ending)
  // A character that is cut is no character.
  const start = Buffer.from(name)
    .subarray(0, room)
    .toString()
    .replace(/\ufffd+$/, '')
  return `${start}-${digest}${ending}`
}

/** Names in a run, of which no two texts have one, also where a file system takes `A` for `a`. */
export class FileNames {
  private readonly owners = new Map<string, string>()

  /**
   * @param text what the name is to say
   * @param ending of the file
   * @param owner what the file is of, where that is more than its text
   * @param folder where it is: names in two folders may be the same
   */
  of(text: string, ending = '', owner = text, folder = ''): string {
    let name = fileName(text, ending)
    for (let salt = owner; !this.take(`${folder}/${name}`, owner); salt += '\n')
      name = distinct(fileName(text), salt, ending)
    return name
  }

  private take(path: string, owner: string): boolean {
    const folded = path.normalize('NFC').toLowerCase()
    const known = this.owners.get(folded)
    if (known === undefined) this.owners.set(folded, owner)
    return known === undefined || known === owner
  }
}
