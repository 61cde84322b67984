/** What docs/judges.md says of a rule: the comment at the beginning of its file. */
export function ruleText(name: string, source: string): string {
  const [, comment = ''] = /^\/\*\*\s*([\s\S]*?)\s*\*\//.exec(source) ?? []
  const text = comment.replace(/^ ?\* ?/gm, '').replace(/^Rule `\w+`: /, '')
  if (!text) throw new Error(`src/verdicts/${name}.ts does not begin with a comment that says what it reads`)
  return `### ${name}\n\n${text[0]!.toUpperCase()}${text.slice(1)}\n`
}
