/** Topics from the Python package ir_datasets: jb-read ir_datasets --dataset ID > topics.jsonl */
import { withExactIntegers } from '../rows/exact_json.ts'
import { usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Format } from './_format.ts'
import { PYTHON_OPTION, pythonLines } from './_python.ts'

const SCRIPT = `
import json
try:
    import ir_datasets
    dataset = ir_datasets.load(sys.argv[1])
    if not dataset.has_queries():
        sys.exit(f"{sys.argv[1]} has no topics")
    query = None
    for query in dataset.queries_iter():
        own = {key: value for key, value in query._asdict().items() if isinstance(value, (str, int, float))}
        own.pop("query_id")
        topic = {"request_id": str(query.query_id), **own, "title": query.default_text(), "collection_ids": [sys.argv[1]]}
        print(json.dumps(topic, allow_nan=False), file=out)
    if query is None:
        sys.exit(f"{sys.argv[1]} has no topics")
except (ImportError, KeyError) as error:
    sys.exit(f"ir_datasets: {error}")
`

export const format: Format = {
  about: 'topics of ir_datasets, by its Python package: --dataset ID',
  noStdin: true,
  readOptions: [
    {
      name: 'dataset',
      type: 'string',
      value: 'ID',
      about: 'the data set, such as neuclir/1/zh/trec-2023',
    },
    PYTHON_OPTION,
  ],
  async *read(_sources, options, context) {
    const { dataset, python } = options as { dataset?: string; python: string }
    if (dataset === undefined) throw usageError('ir_datasets needs --dataset ID')
    let line = 0
    for await (const text of pythonLines(python, SCRIPT, [dataset], context.env))
      yield [Row.make(JSON.parse(withExactIntegers(text)), dataset, ++line)]
  },
}
