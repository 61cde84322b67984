/** The package's version: the build writes it into the bundles, elsewhere package.json is read. */
import { existsSync, readFileSync } from 'node:fs'

export const VERSION: string = process.env.JB_BUILD_VERSION ?? packageVersion()

/** Found from src/options and from dist/lib/options. */
function packageVersion(): string {
  const urls = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
  const found = urls.find((url) => existsSync(url))
  return found ? JSON.parse(readFileSync(found, 'utf8')).version : 'unknown'
}
