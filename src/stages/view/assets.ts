/** The page's own script and style, as the build makes them. */
import { existsSync, readFileSync } from 'node:fs'
import { folderPath } from '../../files/members.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Assets } from './html.ts'

/** @throws Fatal (bug) where the build has not made them */
export function pageAssets(): Assets {
  // Beside the bundles and in the library; a source tree has them where it was built.
  const folder = [folderPath('view'), folderPath('../dist/view')].find((path) => existsSync(`${path}page.js`))
  if (folder === undefined)
    throw new Fatal(EXIT.bug, 'the page is not built: run node build.js, or install the package again')
  return {
    script: readFileSync(`${folder}page.js`, 'utf8'),
    style: readFileSync(`${folder}page.css`, 'utf8'),
  }
}
