/** The page's HTML, with a policy that allows no other script, no requests and no forms. */

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { folderPath } from '../../files/members.ts'
import { EXIT, Fatal } from '../../rows/record.ts'

export const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The script after the index, which the page can then read. */
const READY = 'jbView.ready()'

interface Assets {
  script: string
  style: string
}

/** The page's script and style. @throws Fatal (bug) if they are not built */
export function pageAssets(): Assets {
  // Beside the bundles and in the library, or in the source tree's dist.
  const folder = [folderPath('view'), folderPath('../dist/view')].find((path) => existsSync(`${path}page.js`))
  if (folder === undefined)
    throw new Fatal(EXIT.bug, 'the page is not built: run node build.js, or install the package again')
  return {
    script: readFileSync(`${folder}page.js`, 'utf8'),
    style: readFileSync(`${folder}page.css`, 'utf8'),
  }
}

/** JSON for a script element, without `<` and the line ends of JavaScript. */
const inScript = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A page's HTML up to its body. @param policy its Content-Security-Policy */
export const htmlHead = (title: string, policy: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>`

/** The HTML before the data. The overview can be painted as soon as it has been read. */
export function pageHead(title: string, overview: unknown, { script, style }: Assets): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(READY)}`,
    `style-src ${hashOf(style)}`,
    // Images stand in the page themselves.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `${htmlHead(title, policy, style)}
<div id="app"><noscript>This page needs its own script to show its data; it loads nothing from elsewhere.</noscript></div>
<script type="application/json" id="overview">${inScript(overview)}</script>
<script>${script}</script>
`
}

/** The HTML around packed data: the columns (`index`), then the rows (`chunk-0` and so on). */
export const dataBegin = (id: string): string => `<script type="text/plain" id="${id}">`
export const DATA_END = '</script>\n'
export const INDEX_END = `${DATA_END}<script>${READY}</script>\n`

export const PAGE_END = '</body>\n</html>\n'
