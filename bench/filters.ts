/** A filter that adds to `jb` (jb-parse), in a pipe, against jq, Python's json and the ndjson package. */
import { writeFileSync } from 'node:fs'
import { DATA, megabytes, race } from './_bench.ts'
import { bigReplies, smallReplies } from './_rows.ts'

writeFileSync(
  `${DATA}/add.py`,
  "import sys,json\nw=sys.stdout.write\nfor l in sys.stdin:\n    r=json.loads(l); r['x']=1; w(json.dumps(r)+'\\n')\n",
)
writeFileSync(
  `${DATA}/add.cjs`,
  `const ndjson = require('${process.cwd()}/node_modules/ndjson'); const { Transform } = require('node:stream')
process.stdin.pipe(ndjson.parse()).pipe(new Transform({ objectMode: true, transform(row, _, done) { row.x = 1; done(null, row) } })).pipe(ndjson.stringify()).pipe(process.stdout)\n`,
)

for (const [path, goals] of [
  [await bigReplies(), { 'jq -c .x=1': '>= 6', "python's json loop": '>= 3', 'ndjson package': '>= 4' }],
  [await smallReplies(), { 'jq -c .x=1': '>= 5', "python's json loop": '>= 4' }],
] as const) {
  const through = (command: string) => `cat ${path} | ${command} | cat > /dev/null`
  await race(
    `a filter that adds to jb: ${path}, ${megabytes(path).toFixed(0)} MB`,
    {
      'jb-parse': through('bin/jb-parse'),
      'jq -c .x=1': through("jq -c '.x=1'"),
      "python's json loop": through(`python3 ${DATA}/add.py`),
      'ndjson package': through(`node ${DATA}/add.cjs`),
    },
    goals,
  )
}
