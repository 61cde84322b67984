/** The page's text: everything it needs, and a policy under which nothing else can run, load or be sent. */
import { createHash } from 'node:crypto'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Called by the page once what stands before it has been read. */
const READY = 'jbView.ready()'

export interface Assets {
  script: string
  style: string
}

/** JSON that may stand in a script element: no tag can begin in it, and no line of a script end. */
const inScript = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** What stands before the data. The overview can be painted as soon as this has been read. */
export function pageHead(title: string, overview: unknown, { script, style }: Assets): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(READY)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
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
<body>
<div id="app"><noscript>This page shows its data by a script of its own; it loads nothing from anywhere.</noscript></div>
<script type="application/json" id="overview">${inScript(overview)}</script>
<script>${script}</script>
`
}

/** What stands around packed data: the columns (`index`), then the rows (`chunk-0` and on). */
export const dataBegin = (id: string): string => `<script type="text/plain" id="${id}">`
export const DATA_END = '</script>\n'
/** After the columns: the call that says they are there. */
export const INDEX_END = `${DATA_END}<script>${READY}</script>\n`

export const PAGE_END = '</body>\n</html>\n'
