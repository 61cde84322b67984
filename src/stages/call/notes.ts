/** What the help of jb-call says before and after its options. */
export const NOTES = [
  'A provider before the model (-m gemini/gemini-3.8-flash, -m openrouter/VENDOR/MODEL) picks its API, base URL and key variable (docs/models.md has the table). With --base-url a model is sent as it stands, and so is one that stands in a row.',
  'Keys are read from the environment only. With a provider before the model: from LLM_JUDGE_NAME_API_KEY for rows of a judge with this name (jb-render --name; characters outside A-Z and 0-9 become _), else from the provider’s variable. Otherwise also from LLM_JUDGE_API_KEY, then OPENAI_API_KEY, or the variable of the API that --api names. In the same way LLM_JUDGE_NAME_API_BASE and LLM_JUDGE_NAME_MODEL, LLM_JUDGE_API_BASE and LLM_JUDGE_MODEL, then OPENAI_BASE_URL and OPENAI_MODEL name the endpoint and the model. HTTP_PROXY (for http://), HTTPS_PROXY, ALL_PROXY and NO_PROXY are respected, as by curl.',
  'A reply is stored as soon as it arrives. Its key is what is sent (the whole request, the model, the endpoint, the headers) and the sample’s number, never an id or another column. If rows have the same request at a temperature other than 0, the second one in the run gets the second draw, the third one the third; a seed gives them the same reply. After a crash or an interrupt the same command makes only the missing calls and writes the same bytes. Failures are not stored. Several processes can share the cache, but two that make the same call at the same time both pay for it.',
  'A reply in a row has a hash of its request, sample, model, endpoint and --header (jb.reply.fingerprint; not with --no-cache). If jb-call would send the same request again, on any machine, the row keeps its reply and no call is made. Such a reply is neither cached nor recorded.',
  'HTTP 408, 409, 425, 429, 498 and 5xx, broken connections, timeouts, and answers that are invalid, empty or broken off are retried. 429, 503, 529 and connections that are not made count as refusals, which use up no retry: the more calls are refused, the fewer are sent, and while all are refused, one at a time tries the endpoint (docs/performance.md). Retry-After and x-ratelimit headers are respected. 401 ends the run, and so does an unknown model or a wrong path; a 403 does if a second row has one, too.',
  'With --limits several processes, on one or more machines, share --rpm and --tpm: all must give the same URL and the same rates. -j, --max-cost and --max-requests are of each process. If Redis is lost, the run stops (exit 75). The password of Redis is read from REDISCLI_AUTH. See docs/scale.md.',
  'A baseline answers in process, in the form of the row’s judge. longer: the longer answer wins; grades grow with the length, up to 2,000 characters. first: the answer shown first wins; the lowest grade; the first option. overlap: by the share of the question’s words in an answer. random: seeded by item and trial.',
] as const

export const EXAMPLES = [
  {
    about: 'judge with a model (the key is read from OPENAI_API_KEY)',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m gpt-6-luna > replies.ndjson',
  },
  {
    about: 'use your own server',
    command:
      'jb-render arena_hard pairs.jsonl |\n    jb-call --base-url http://localhost:8000/v1 -m qwen3 -j 256 > out.ndjson',
  },
  {
    about: 'estimate the cost, without calls',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m gpt-6-luna --dry-run',
  },
  {
    about: 'a baseline that a model must beat, without a model',
    command: 'jb-render arena_hard pairs.jsonl | jb-call -m baseline:longer |\n    jb-parse | jb-aggregate',
  },
  {
    about: 'call again only for the rows that failed: the others keep their reply',
    command: 'jb-call -m gpt-6-luna replies.ndjson > again.ndjson',
  },
] as const
