// Refuses to publish what is not ready: names left to be filled in package.json, or a version that the changelog lacks.
import { readFileSync } from 'node:fs'

const text = readFileSync('package.json', 'utf8')
const { version } = JSON.parse(text)
const faults = [
  text.includes('OWNER') && 'package.json: put the name of the owner in the place of each OWNER',
  !readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version} `) &&
    `CHANGELOG.md: no "## ${version} (date)"`,
].filter(Boolean)
for (const fault of faults) console.error(`release: ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0
