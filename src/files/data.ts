/** YAML and JSON files as data: a user's, and the judges and criteria that come with the toolkit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Document, DocumentOptions, LineCounter, ParseOptions, SchemaOptions } from 'yaml'
import { configError, Fatal } from '../rows/record.ts'
import { folderPath } from './members.ts'

const TOO_DEEP = 'values are nested too deeply'

/** A YAML or JSON file. @throws Fatal (configuration) with file, line and column */
export async function readData(path: string): Promise<unknown> {
  try {
    const text = readFileSync(path, 'utf8')
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

/** A document of YAML, and where its lines begin. @throws Fatal (configuration) with file, line and column */
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
    // Only the first error is reported: making thousands of them pretty takes minutes.
    const document = parseDocument(text, { ...options, lineCounter: lines, prettyErrors: false })
    const [error] = document.errors
    if (error?.code === 'RESOURCE_EXHAUSTION') refuse(error.pos[0], TOO_DEEP, error)
    if (error) refuse(error.pos[0], error.message, error)
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

/** @throws Fatal (configuration) where an alias of YAML stands for something that it is part of */
export function refuseCircle(data: unknown, path: string): void {
  try {
    JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? 0 : value))
  } catch {
    throw configError(
      `${path}: an alias (*) stands for something that it is part of, or values are nested too deeply`,
    )
  }
}

/** A folder of YAML files that come with the toolkit. The build puts each beside it as JSON: reading that costs less. */
export class Catalogue {
  private readonly path: string

  /** @param folder in src, and in dist beside the bundles and the library */
  constructor(folder: string) {
    this.path = folderPath(folder)
  }

  /** Sorted. */
  names(): string[] {
    const files = readdirSync(this.path).filter((file) => file.endsWith('.yaml'))
    return files.map((file) => file.slice(0, -'.yaml'.length)).sort()
  }

  has(name: string): boolean {
    return /^[\w-]+$/.test(name) && existsSync(`${this.path}${name}.yaml`)
  }

  /** The file's text, to copy and change. */
  text(name: string): string {
    return readFileSync(`${this.path}${name}.yaml`, 'utf8')
  }

  async data(name: string): Promise<unknown> {
    const json = `${this.path}${name}.json`
    return readData(existsSync(json) ? json : `${this.path}${name}.yaml`)
  }
}
