// Refuses to publish what is not ready: names left to be filled in, or a version that the changelog lacks.
import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const faults = [
  ...['package.json', 'docs/ci.md'].map(
    (file) =>
      readFileSync(file, 'utf8').includes('OWNER') &&
      `${file}: put the name of the owner in the place of each OWNER`,
  ),
  !readFileSync('docs/ci.md', 'utf8').includes(`/jb-filters@v${version}\n`) &&
    `docs/ci.md: the action is not that of v${version}`,
  !readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version} `) &&
    `CHANGELOG.md: no "## ${version} (date)"`,
].filter(Boolean)
for (const fault of faults) console.error(`release: ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0
