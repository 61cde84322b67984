/** Nugget bank files: detects, reads, converts and writes their formats. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readData } from '../../files/data.ts'
import { isFolder } from '../../files/folder.ts'
import { objectsOf, type Placed, parsedObject } from '../../files/objects.ts'
import { readText } from '../../files/text.ts'
import { someNames } from '../../options/nearest.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import { readAt } from '../../rows/stage.ts'
import { type Problem, topicProblems } from '../leaderboard.ts'
import { bad } from '../topics.ts'
import { argue } from './argue.ts'
import { BadBank, type Bank, type BankFormat, type NewNugget } from './bank.ts'
import { customBank } from './custom.ts'
import { nuggetizer } from './nuggetizer.ts'
import { ragtime26 } from './ragtime26.ts'

export const BANK_FORMATS: Record<string, BankFormat> = { ragtime26, nuggetizer, argue }

/** A bank and the format it was read in. */
export interface BankFile {
  bank: Bank
  format: BankFormat
  place: string
}

/** The format of that name, or the one that the file describes. @throws Fatal (usage, configuration) */
export async function bankFormat(name: string): Promise<BankFormat> {
  if (Object.hasOwn(BANK_FORMATS, name)) return BANK_FORMATS[name]!
  if (/\.(ya?ml|json)$/.test(name) && existsSync(name)) return customBank(await readData(name), name)
  throw usageError(
    `--bank ${name}: one of ${Object.keys(BANK_FORMATS).sort().join(', ')}, or a file that describes your own format`,
  )
}

/** Reads one line's object as a bank; without a format, detects it. @throws Fatal (data) with its place */
export function readBank(row: JsonObject, place: string, format?: BankFormat): BankFile {
  const found = format ?? Object.values(BANK_FORMATS).find((one) => one.knows(row))
  if (!found)
    throw bad(
      place,
      'not a nugget bank of a known format (--bank FILE describes your own: its "id" and "nuggets")',
    )
  return { bank: bankAt(place, () => readAt(place, () => found.read(row))), format: found, place }
}

/** @throws Fatal (data) with its place for a BadBank */
function bankAt<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof BadBank) throw bad(place, error.message)
    throw error
  }
}

/** All banks of a file (or of its text), or of a folder's files in order, by topic. @throws Fatal (data) for a second bank of a topic */
export async function readBanks(
  path: string,
  format?: BankFormat,
  text?: string,
): Promise<Map<string, BankFile>> {
  const files = isFolder(path)
    ? readdirSync(path)
        .filter((name) => /\.jsonl?(\.gz)?$/i.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path]
  if (files.length === 0) throw new Fatal(EXIT.noInput, `${path}: no .json or .jsonl file in this folder`)
  const banks = new Map<string, BankFile>()
  for (const file of files)
    for (const { object, place } of await documents(file, text ?? readText(file))) {
      const bank = readBank(object, place, format)
      const { topic } = bank.bank
      const before = banks.get(topic)
      if (before) throw bad(place, `a second bank for topic "${topic}" (first: ${before.place})`)
      banks.set(topic, bank)
    }
  return banks
}

/** The documents of a file: the lines of JSONL, any other file as a whole. */
const documents = async (file: string, text: string): Promise<Placed[]> =>
  file.toLowerCase().includes('.jsonl') || /^\s*\{.*\}\s*\n\s*\{/.test(text)
    ? objectsOf(text, file)
    : [{ object: parsedObject(text, file), place: file }]

/** The bank in another format, which gets its nuggets only. */
export function convert(bank: Bank, from: BankFormat, to: BankFormat): Bank {
  const shared = new Set([argue, ragtime26])
  if (from === to || (shared.has(from) && shared.has(to))) return bank
  const made = to.create(bank.topic, bank.title)
  for (const { kind, ...nugget } of bank.nuggets)
    to.add(made, { ...nugget, ...(kind !== 'nugget' && { kind }) } as NewNugget)
  return made
}

/** One line of a bank file. @throws Fatal (data) if the format cannot hold the bank */
export function bankLine(bank: Bank, format: BankFormat, place: string): string {
  return bankAt(place, () => JSON.stringify(format.write(bank)))
}

/** Reports topics without a bank, banks of unexpected topics, and empty banks. */
export function verifyBanks(banks: readonly Bank[], topics?: readonly string[]): Problem[] {
  const problems = topicProblems(
    new Set(banks.map(({ topic }) => topic)),
    topics,
    'topics without a bank',
    'banks of topics',
  )
  const empty = banks.filter(({ nuggets }) => nuggets.length === 0).map(({ topic }) => topic)
  if (empty.length > 0) problems.push({ kind: 'empty bank', message: `empty banks: ${someNames(empty)}` })
  return problems
}
