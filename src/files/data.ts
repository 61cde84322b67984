/** Reads YAML and JSON files: the user's, and the built-in judges and criteria. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Document, DocumentOptions, LineCounter, ParseOptions, SchemaOptions } from 'yaml'
import { configError, EXIT, Fatal } from '../rows/record.ts'
import { folderPath } from './members.ts'
import { readText } from './text.ts'

const TOO_DEEP = 'values are nested too deeply'

/** Reads a YAML or JSON file. @throws Fatal (configuration) with file, line and column */
export async function readData(path: string): Promise<unknown> {
  try {
    const text = readText(path, EXIT.config)
    if (extname(path) === '.json') return JSON.parse(text)
    const { document } = await readYaml(text, path)
    const data: unknown = document.toJS()
    refuseCircle(data, path)
    return data
  } catch (error) {
    if (error instanceof Fatal) throw error
    throw configError(`${path}: ${(error as Error).message.split('\n')[0]}`, error)
  }
}

/** Parses YAML, with the positions of its lines. @throws Fatal (configuration) with file, line and column */
export async function readYaml(
  text: string,
  path: string,
  options: DocumentOptions & SchemaOptions & ParseOptions = {},
): Promise<{ document: Document.Parsed; lines: LineCounter }> {
  const { LineCounter, isCollection, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const refuse = (offset: number, message: string, cause?: Error) => {
    const { line, col } = lines.linePos(offset)
    throw configError(`${path}:${line}:${col}: ${message}`, cause)
  }
  try {
    // Only the first error is reported: formatting thousands of them would take minutes.
    const document = parseDocument(text, { ...options, lineCounter: lines, prettyErrors: false })
    const [error] = document.errors
    if (error?.code === 'RESOURCE_EXHAUSTION') refuse(error.pos[0], TOO_DEEP, error)
    if (error) refuse(error.pos[0], error.message + templateHint(text, error.pos[0]), error)
    visit(document, {
      Pair(_, { key }) {
        if (isCollection(key))
          refuse(key.range![0], 'a key is a list or an object (a value that begins with [ or { needs quotes)')
      },
    })
    return { document, lines }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw configError(`${path}: ${TOO_DEEP}`, error)
  }
}

/** A template as a value without quotes: YAML takes {{ for two objects. */
function templateHint(text: string, at: number): string {
  const [line] = text.slice(text.lastIndexOf('\n', at - 1) + 1).split('\n', 1)
  return /[:-]\s+\{\{/.test(line!) ? ' (a value that begins with {{ needs quotes)' : ''
}

/** @throws Fatal (configuration) if a YAML alias makes the data circular */
function refuseCircle(data: unknown, path: string): void {
  try {
    JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? 0 : value))
  } catch {
    throw configError(
      `${path}: an alias (*) refers to a value that contains it, or values are nested too deeply`,
    )
  }
}

/** A folder of built-in YAML files. The build also writes each as JSON, which is read faster. */
export class Catalogue {
  private readonly path: string

  /** @param folder in src, and in dist beside the bundles and the library */
  constructor(folder: string) {
    this.path = folderPath(folder)
  }

  /** The names of the files, sorted. */
  names(): string[] {
    const files = readdirSync(this.path).filter((file) => file.endsWith('.yaml'))
    return files.map((file) => file.slice(0, -'.yaml'.length)).sort()
  }

  has(name: string): boolean {
    return /^[\w-]+$/.test(name) && existsSync(`${this.path}${name}.yaml`)
  }

  /** The file's text, for a user who wants to change a copy. */
  text(name: string): string {
    return readFileSync(`${this.path}${name}.yaml`, 'utf8')
  }

  async data(name: string): Promise<unknown> {
    const json = `${this.path}${name}.json`
    return readData(existsSync(json) ? json : `${this.path}${name}.yaml`)
  }
}
