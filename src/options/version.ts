/** The package's version: in the bundles the build writes it down, elsewhere package.json is read. */
import { existsSync, readFileSync } from 'node:fs'

export const VERSION: string = process.env.JB_BUILD_VERSION ?? packageVersion()

/** From src/options and dist/lib/options. */
function packageVersion(): string {
  const urls = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
  const found = urls.find((url) => existsSync(url))
  return found ? JSON.parse(readFileSync(found, 'utf8')).version : 'unknown'
}
