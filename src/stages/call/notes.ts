/** What the help of jb-call says before and after its options. */
export const NOTES = [
  'A provider before the model (-m gemini/gemini-2.5-flash, -m openrouter/VENDOR/MODEL) picks its API, base URL and key variable; jb-call --list-providers prints the table, docs/models.md says more. With --base-url a model is sent as it stands, and so is one that stands in a row.',
  'Keys come from the environment only. With a provider before the model: LLM_JUDGE_NAME_API_KEY for rows of a judge named so (jb-render --name; letters outside A-Z and 0-9 are _), else the provider’s own variable. Otherwise also LLM_JUDGE_API_KEY, then OPENAI_API_KEY, or the variable of the API that --api names. In the same way LLM_JUDGE_NAME_API_BASE and LLM_JUDGE_NAME_MODEL, LLM_JUDGE_API_BASE and LLM_JUDGE_MODEL, then OPENAI_BASE_URL and OPENAI_MODEL say where requests go and which model is asked. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected.',
  'A reply is kept as soon as it arrives, under the whole request, the model, the endpoint, the headers given and the sample (and the item, unless the temperature is 0): after a crash or an interrupt the same command makes only the calls that are missing and writes the same bytes. Failures are never kept. Several processes may share the cache: a call that one is making is waited for by the others.',
  'A row says which request its reply answers (jb.reply.fingerprint, a hash of request, sample, model, endpoint and --header; not with --no-cache). Where the same request would be sent again, on whatever machine, the row keeps its reply and no call is made. Such a reply serves its own row only: it is neither cached nor recorded.',
  'HTTP 408, 409, 425, 429 and 5xx, broken connections, timeouts and unusable answers are tried again; Retry-After and x-ratelimit headers are obeyed, and calls keep to the rate that an endpoint grants, without slowing down for refusals at random (docs/performance.md). 401 ends the run.',
  'With --limits several processes, on one machine or many, hold one limit: all give the same URL and the same limits. A process that dies gives its part back within 10 s (of a budget, what it had taken and not given back counts as spent); when one has to wait or slow down as the endpoint refuses most of its calls, all do. What was spent is remembered for 30 days under the name. The password of the Redis is in REDISCLI_AUTH. docs/scale.md has more.',
  'A baseline answers in the form of the row’s judge, in process and for nothing. longer: the longer answer wins; a grade grows with the length, up to 2,000 characters. first: the answer shown first wins; the lowest grade; the first option. overlap: by the share of the question’s words that an answer has. random: drawn by item and trial.',
] as const

export const EXAMPLES = [
  {
    about: 'judge with a model (the key is read from OPENAI_API_KEY)',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m gpt-4o > replies.ndjson',
  },
  {
    about: 'a server of your own',
    command:
      'jb-render arena_hard pairs.jsonl |\n    jb-call --base-url http://localhost:8000/v1 -m qwen3 -j 256 > out.ndjson',
  },
  {
    about: 'what it would cost, without a call',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m gpt-4o --dry-run',
  },
  {
    about: 'the floor that a model has to beat: no model at all',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m baseline:longer |\n    jb-parse | jb-aggregate',
  },
  {
    about: 'only the rows that failed, again: the others keep their reply',
    command: 'jb-call -m gpt-4o replies.ndjson > again.ndjson',
  },
] as const
