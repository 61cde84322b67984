/** The users' documents, which stand beside the project; without them their tests say that they did not run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const SEEDS = '../shared/seeds'

export const seedSkip = (number: string): string | false =>
  existsSync(SEEDS) && seedFile(number) !== undefined
    ? false
    : `NOT RUN: ${SEEDS}/${number}_*.txt is not here`

const seedFile = (number: string) => readdirSync(SEEDS).find((file) => file.startsWith(`${number}_`))

/** The text of a document. */
export const seed = (number: string): string => readFileSync(`${SEEDS}/${seedFile(number)}`, 'utf8')
