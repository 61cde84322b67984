#compdef jb-read jb-render jb-call jb-parse jb-score jb-aggregate jb-compare jb-rank jb-audit jb-view jb-workflow
# zsh completion of the jb filters: in a folder of $fpath as _jb, or, after compinit, source <(jb-read --completion zsh)
_jb() {
  case $service in
    jb-read)
      _arguments -s -S \
        '--list[the formats there are, with a line each]' \
        '--completion=[tab completion of all filters for this shell\: source <(jb-read --completion bash)]:completion:(bash zsh fish)' \
        '--at=[json\: the array stands at this dotted path of the document]:PATH: ' \
        '--pairs=[mt-bench\: every two models, or every other model against this one]:all|MODEL: ' \
        '--topics=[autojudge\: the topics (JSONL, or a folder with queries.jsonl)]:FILE:_files' \
        '--responses=[autojudge\: the runs, all files of this folder, three levels deep; or name files after the format]:DIR:_files' \
        '--nuggets=[autojudge\: a nugget bank, a file or a folder]:FILE:_files' \
        '--bank=[the nugget bank is argue, nuggetizer, ragtime26, or what this small file describes \[found by its keys\]]:FORMAT: ' \
        '--qrels=[autojudge\: grades that go with each topic]:FILE:_files' \
        '--per=[autojudge\: an item for each of these \[response, or topic where there are none\]]:per:(response topic pair)' \
        '*--topic=[autojudge\: only these topics]:ID: ' \
        '*--run=[autojudge\: only these runs]:ID: ' \
        '--limit-topics=[autojudge\: only the first N topics]:N: ' \
        '--limit-runs=[autojudge\: only the first N runs of the files]:N: ' \
        '--unknown-topics=[autojudge\: responses to a topic that is not in --topics are left out, kept, or end the run]:unknown-topics:(skip keep stop)' \
        '*--without=[autojudge\: leave this field out of the items of responses, such as documents that no prompt shows (repeatable, or with commas)]:FIELD: ' \
        '--whole[autojudge\: also each response as its file has it, under `response`]' \
        '--answers=[arena-hard\: the folder with the models’ answers, for their length and style]:DIR:_files' \
        '--baseline=[arena-hard\: what v0.1’s judgments compare with \[the one model with answers that is not judged\]]:MODEL: ' \
        '--from=[trec\: the order of the columns \[found by the place of `all`\]]:from:(ir_measures tot rag4reports trec_eval ranking jsonl)' \
        '--header=[trec\: whether line 1 names the columns]:header:(auto yes no)' \
        '--delimiter=[csv\: what stands between values \[, or a tab for .tsv\]]:CHAR: ' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '1:\[FORMAT\]:{_alternative "words:value:(alpaca_eval arena-battles arena-hard autojudge csv evalassist example ir_measures json jsonl judgebench-outputs llmbar lm-eval mt-bench mt-bench-judgments nuggets parquet qrels rag4reports ranking rewardbench-scores tot trec trec_eval)" "files:file:_files"}' \
        '*:file:_files'
      ;;
    jb-render)
      _arguments -s -S \
        '--order=[the order in which the answers (or options) are shown; random is drawn by item, alpaca_eval by its instruction as there, and verdicts are in the item’s own terms in any order \[ab\]]:order:(ab ba both random alpaca_eval)' \
        '--seed=[another random order, or sample, of the same items]:TEXT: ' \
        '--samples=[ask each question N times]:N: ' \
        '*--criteria=[what is judged\: a file, FILE#NAME, a name of --list-criteria, @FIELD (each item’s own), or a question]:FILE|TEXT:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--contests[of several answers each two against each other, not all at once]' \
        '*--probe=[also ask about a changed copy of each item\: an empty answer (null), filler that doubles its length (pad), “choose this one” planted in it (quote), the models’ names exchanged (swap); jb-audit reports which changed the verdict]:KIND:(null pad quote swap)' \
        '--personas=[who the judge is, for each criterion\: what jb-parse made of the persona judge]:FILE:_files' \
        '*--map=[the template’s NAME is the item’s FIELD (dotted path)]:NAME=FIELD: ' \
        '*--set=[a value the templates see; VALUE is JSON, or else a string]:KEY=VALUE: ' \
        '--id=[the field that tells items apart; else the first of pair_id, question_id, id, uid, idx, else a hash of the line]:FIELD: ' \
        '--name=[a name for this use of the judge, for runs with several]:NAME: ' \
        '--templates=[take the prompt from the judge’s original template files in this folder]:DIR:_files' \
        '--syntax=[the language of the template \[the judge file’s, else jinja\]]:syntax:(jinja format alpaca nunjucks)' \
        '--undefined=[a name the item does not have\: a failed row, or nothing]:undefined:(error empty)' \
        '--compat=[as that original does\: the rows carry it, and jb-call --repair and jb-parse read replies by it; lm-eval\: fields of doc hide all other names, unknown ones print nothing; evalassist\: several criteria without weights have no score]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist)' \
        '--limit=[only the first N items]:N: ' \
        '--sample=[only N items, drawn by their ids and --seed\: the same ones in whatever order they come]:N: ' \
        '--by=[with --sample\: as many of each value of this field as its share of the items]:FIELD: ' \
        '--preview[print the prompts as a person reads them, in place of rows]' \
        '--list[the judges there are, with a line each]' \
        '--list-criteria[the criteria there are, with a line each]' \
        '--show[the judge file, to copy and change]' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '1:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '*:file:_files'
      ;;
    jb-call)
      _arguments -s -S \
        '(-m --model)-m[the model to ask, as PROVIDER/MODEL or by its name alone; or baseline\:longer, \:first, \:overlap, \:random (answered in process)]:NAME:(baseline\:first baseline\:longer baseline\:overlap baseline\:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/)' \
        '(-m --model)--model=[the model to ask, as PROVIDER/MODEL or by its name alone; or baseline\:longer, \:first, \:overlap, \:random (answered in process)]:NAME:(baseline\:first baseline\:longer baseline\:overlap baseline\:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/)' \
        '--list-providers[print the names that may stand before a model\: API, base URL and key variable of each]' \
        '--base-url=[the endpoint, up to /v1; https\://api.openai.com/v1 where nothing else is said]:URL: ' \
        '--api=[how the endpoint is spoken to\: by default chat, and completions for a request with a prompt]:api:(anthropic azure bedrock chat completions gemini ollama responses watsonx)' \
        '--api-key-env=[the environment variable that holds the key]:NAME: ' \
        '*--judge=[a judge file that rows may name (repeatable; JB_JUDGE=a.yaml\:b.mjs)\: built-in judges need none, and no other file is opened for a row]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '*--param=[a parameter of every request, in place of the judge’s own; KEY= alone removes one]:KEY=JSON: ' \
        '--temperature=[the same as --param temperature=T]:T: ' \
        '--max-tokens=[the same as --param max_tokens=N]:N: ' \
        '*--header=[a header of every request; $NAME in it is taken from the environment]:NAME\:VALUE: ' \
        '(-j --concurrency)-j[calls under way at once]:N: ' \
        '(-j --concurrency)--concurrency=[calls under way at once]:N: ' \
        '--retries=[further attempts after a failure that may pass]:N: ' \
        '--compat=[as an original does\: --repair reads replies as jb-parse --compat does; lm-eval\: a task file’s retry_attempts counts all attempts]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist)' \
        '--retry-min=[the shortest wait before a further attempt]:SECONDS: ' \
        '--retry-max=[the longest, unless the server asks for longer]:SECONDS: ' \
        '--timeout=[the longest a call may take, from its start to its last byte]:SECONDS: ' \
        '--rpm=[requests a minute at most, for each endpoint and model]:N: ' \
        '--tpm=[tokens a minute at most\: estimated before a call, corrected after it]:N: ' \
        '--no-adapt[do not slow down when the endpoint refuses calls]' \
        '--preflight[make the first call alone, and end the run if it shows that none can succeed (the default)]' \
        '--no-preflight[start all calls at once]' \
        '--max-error-rate=[exit 1 when a larger share of the rows failed; the run ends early once that is certain]:R: ' \
        '--repair=[ask again up to N times if the judge’s rule finds no verdict, in the way the judge file says]:N: ' \
        '*--cache=[where replies are kept; by default in $XDG_CACHE_HOME/jb/replies, a file a model. Given again\: more files in which replies are looked up]:FILE:_files' \
        '--no-cache[replies are neither looked up nor kept]' \
        '--refresh[make every call\: replies are kept, but not taken from the cache or the rows]' \
        '--record=[write every reply to FILE as well]:FILE:_files' \
        '--replay=[answer from FILE (a recording or a cache) without any call]:FILE:_files' \
        '--price=[dollars per million tokens in and out, or a file with them by model, over the list prices that jb-call knows]:IN,OUT: ' \
        '--max-cost=[stop (exit 75) before more is spent]:USD: ' \
        '--max-requests=[stop (exit 75) before more requests are sent]:N: ' \
        '--limits=[redis\://HOST/NAME\: -j, --rpm, --tpm, --max-cost and --max-requests hold for all processes with this name together]:URL: ' \
        '--limits-lost=[where that Redis does not answer for 5 s\: stop (exit 75), or continue with an even part of the limits]:limits-lost:(stop continue)' \
        '--log=[append a JSON line for every request sent]:FILE:_files' \
        '(-n --dry-run)-n[print how many calls, tokens and dollars a run would take; no call is made]' \
        '(-n --dry-run)--dry-run[print how many calls, tokens and dollars a run would take; no call is made]' \
        '--batch=[emit\: write a provider’s batch files instead of calling; submit, status, fetch\: hand them in, look, wait for the results; join\: give rows the answers in RESULTS]:batch:(emit submit status fetch join)' \
        '--batch-files=[the files PREFIX-001.jsonl and on, one model each and within the provider’s limits; PREFIX-batches.ndjson says how far each is]:PREFIX:_files' \
        '--cache-info[print what is in the cache (of one model with -m) and exit]' \
        '--cache-clear[empty the cache (of one model with -m) and exit]' \
        '--unordered[write rows as soon as they are done, not in the order of the input]' \
        '--run=[keep in FILE (NAME.run.json) what this run is, how far it is, and its exit code]:FILE:_files' \
        '--status=[print a line on the runs whose --run files are in DIR, and exit\: done, failed, rate, cost, time left]:DIR:_files' \
        '--limit=[only the first N rows]:N: ' \
        '--total=[how many rows there will be, where they come by a pipe\: for the bar and --max-error-rate]:N: ' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-parse)
      _arguments -s -S \
        '*--judge=[a judge file that rows may name (repeatable; JB_JUDGE=a.yaml\:b.mjs); one alone also reads rows whose own judge is missing, unknown or a bare prompt, and a built-in one every row]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '--text=[the reply stands in this field of the row (dotted path)]:FIELD: ' \
        '--pick=[of several verdicts in one reply\: the last, the first, or none if they differ]:pick:(last first only)' \
        '--compat=[read exactly as that original does, oddities included; failures are still counted]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist)' \
        '--fallback=[grades\: the score of a reply that has none or one out of range; still counted as a failure]:N: ' \
        '--seed=[another draw where an original picks at random (--compat evalassist)]:TEXT: ' \
        '--id=[with --text\: the field that tells items apart]:FIELD: ' \
        '--format=[csv and tsv\: one flat line a row, the user’s own fields, then judge, model, trial, order, criterion, verdict, score, option, reason, error and reply]:format:(ndjson csv tsv)' \
        '--bom[csv, tsv\: begin with a byte order mark, by which Excel knows UTF-8]' \
        '--safe[csv, tsv\: put a quote before values that a spreadsheet would take for a formula (=, +, -, @)\: it changes them, negative numbers too]' \
        '--limit=[only the first N rows]:N: ' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-score)
      _arguments -s -S \
        '--combine=[how an item’s trials become one result \[the kind’s own\: vote, mean or majority\]]:combine:(vote agree first mean median trimmed majority)' \
        '--label=[the field with what is right \[label\]]:FIELD: ' \
        '--tie=[what a tie is worth in the accuracy where the label names a winner \[0\]]:X: ' \
        '*--criteria=[weights, targets and thresholds of the criteria asked about, in place of those they were asked with]:FILE:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--compat=[add up as that original does, oddities included]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2)' \
        '--format=[csv and tsv\: one flat line an item, the user’s own fields, then judge, model, verdict, score, option, reason, reply and error; of several games and criteria a group of columns each]:format:(ndjson csv tsv)' \
        '--bom[csv, tsv\: begin with a byte order mark, by which Excel knows UTF-8]' \
        '--safe[csv, tsv\: put a quote before values that a spreadsheet would take for a formula (=, +, -, @)\: it changes them, negative numbers too]' \
        '--as=[write another format in place of results\: evalassist, judgebench, lm-eval, lm-eval-details, mt-bench, mt-bench-csv, mt-bench-results, nuggets, responses, rewardbench, rewardbench2, rm-gallery]:NAME:(evalassist judgebench lm-eval lm-eval-details mt-bench mt-bench-csv mt-bench-results nuggets responses rewardbench rewardbench2 rm-gallery)' \
        '--topics=[trec, qrels, nuggets\: the topics that are expected\: those that are missing or extra are reported]:FILE:_files' \
        '--bank=[nuggets\: write argue, nuggetizer, ragtime26, or what this small file describes \[argue, or the form it was read in\]]:FORMAT: ' \
        '--limit=[only the first N items]:N: ' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-aggregate)
      _arguments -s -S \
        '*--by=[also for each value of this field (dotted path) \[the first of source, category, subset, task that is there\]; none\: only the whole; with --merge\: of those that --partial had]:FIELD: ' \
        '--format=[table on a terminal, else json\: one object a judge and model, one a line]:format:(json table csv tsv markdown)' \
        '--as=[the output format of an original\: evalassist, ir_measures, jsonl, judgebench, lm-eval, lm-eval-details, mt-bench, mt-bench-csv, mt-bench-results, nuggets, qrels, rag4reports, ranking, responses, rewardbench, rewardbench2, rm-gallery, spread, tot, trec, trec_eval]:NAME:(evalassist ir_measures jsonl judgebench lm-eval lm-eval-details mt-bench mt-bench-csv mt-bench-results nuggets qrels rag4reports ranking responses rewardbench rewardbench2 rm-gallery spread tot trec trec_eval)' \
        '--save=[lm-eval\: also write results_*.json and llm_judge_*.jsonl there, named as lm-eval names them]:DIR:_files' \
        '--stamp=[kept in the report\: a date, a commit; with --save in place of the time in the names of the files]:TEXT: ' \
        '--baseline=[mt-bench-results\: the model all pairs are against, left out of the table]:MODEL: ' \
        '(-o --output)-o[write here, complete or not at all]:FILE:_files' \
        '(-o --output)--output=[write here, complete or not at all]:FILE:_files' \
        '--ci=[level of the confidence intervals]:LEVEL: ' \
        '--combine=[how an item’s trials become one result \[the kind’s own\: vote, mean or majority\]]:combine:(vote agree first mean median trimmed majority)' \
        '--label=[the field with what is right \[label\]]:FIELD: ' \
        '--tie=[what a tie is worth in the accuracy where the label names a winner \[0\]]:X: ' \
        '*--criteria=[weights, targets and thresholds of the criteria asked about, in place of those they were asked with]:FILE:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--compat=[add up as that original does, oddities included; autojudge, with --truth\: NaN and NAME@K as autojudge-evaluate counts them]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2 autojudge)' \
        '--labels=[how each judge agrees with these labels of people, {"item", "label"} a line, as the page of jb-view writes them\: kappa, confusion, the items they differ on]:FILE:_files' \
        '--expect=[how many items there should be, or the file of them\: those that are missing count as failed and are named, exit 1]:N|FILE:_files' \
        '--id=[with --expect FILE\: the field that jb-render --id named]:FIELD: ' \
        '--common[of several judges\: only the items that are valid for all of them (these are held in memory)]' \
        '--max-error-rate=[exit 1 where a larger share of the items failed]:R: ' \
        '--fail-under=[exit 1 where the accuracy (or mean score) is below X; also with --as\: judgebench, lm-eval, mt-bench, rm-gallery]:X: ' \
        '*--judge=[a judge file that rows may name (repeatable; JB_JUDGE=a.yaml\:b.mjs)\: built-in judges need none, and no other file is opened for a row]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '--topics=[trec, qrels, nuggets\: the topics that are expected\: those that are missing or extra are reported]:FILE:_files' \
        '--bank=[nuggets\: write argue, nuggetizer, ragtime26, or what this small file describes \[argue, or the form it was read in\]]:FORMAT: ' \
        '*--measure=[trec, qrels\: only this measure; LENGTH (words) and RANDOM are of the item and need no judge]:NAME: ' \
        '*--set=[trec, qrels\: a value the judge’s measures name, such as a threshold]:KEY=VALUE: ' \
        '--on-missing=[a run and topic without a value is left out with a warning, left out (skip), written as --default, counted as --default in the "all" rows alone (fix_aggregate), or ends the run (error, exit 65)]:on-missing:(warn skip default fix_aggregate error)' \
        '--default=[what a missing value counts as]:X: ' \
        '--drop-aggregate[leaderboards that come with "all" rows\: compute them again from the topics]' \
        '--doc=[qrels\: a response is known by the MD5 of its text, or by its run]:doc:(md5 run)' \
        '--duplicates=[qrels\: of two grades for one document]:duplicates:(keep_max keep_last error)' \
        '--truth=[how the input’s leaderboards (or qrels, or judged rows) agree with this leaderboard (or qrels)]:FILE:_files' \
        '--truth-from=[the format of --truth \[found by the place of `all`\]]:truth-from:(ir_measures tot rag4reports trec_eval ranking jsonl qrels)' \
        '--from=[with --truth\: the format of the input files \[found by the place of `all`\]]:from:(ir_measures tot rag4reports trec_eval ranking jsonl qrels)' \
        '--header=[with --truth\: whether line 1 of a leaderboard names the columns]:header:(auto yes no)' \
        '*--correlation=[with --truth\: kendall, pearson, spearman, tauap_b, tau_gap, each also NAME@K (the top K by truth) or NAME_per_topic; coverage; bland_altman \[kendall, pearson, spearman, tauap_b, tau_gap, kendall@10\]]:NAME: ' \
        '*--truth-measure=[with --truth\: only this measure of the truth (--measure\: of the input)]:NAME: ' \
        '*--run=[with --truth\: only these runs]:ID: ' \
        '--only-shared-runs[with --truth\: only the runs both sides have]' \
        '--aggregate[with --truth\: one row, the mean of every figure over all pairs of measures and all files]' \
        '--diagnostics-dir=[with --truth\: also write here what each method compared, run by run]:DIR:_files' \
        '*--only-topic=[with --truth\: only these topics, "all" computed again]:ID: ' \
        '--only-shared-topics[with --truth\: only the topics both sides have, "all" computed again]' \
        '*--range=[with bland_altman\: the range of a measure, truth’s or the judge’s; *=LOW\:HIGH is every other’s]:NAME=LOW\:HIGH: ' \
        '--relevant=[with qrels as --truth\: relevant from this grade on, in the truth and (M) in the judge’s]:N\[,M\]: ' \
        '--max-grade=[with qrels as --truth\: grades go from 0 to this, in the truth and (M) in the judge’s; others are clipped]:N\[,M\]: ' \
        '--default-grade=[with qrels as --truth\: the grade of a document that only one side has]:N: ' \
        '--partial[write sums that can be merged in place of a report]' \
        '--merge[the input is what --partial wrote]' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-compare)
      _arguments -s -S \
        '--run=[a run is a value of this field \[each file; in one file or stream, each judge and model\]]:FIELD: ' \
        '--against=[compare every other run with this one \[every two runs\]]:NAME: ' \
        '--value=[compare this number or boolean of plain rows \[of results\: correct where labels are, else the score, else the first answer’s share\]]:FIELD: ' \
        '--id=[the field that tells items apart \[jb’s own, else pair_id, question_id, id, uid, idx\]]:FIELD: ' \
        '--duplicates=[an id twice in a run\: stop (exit 65), or take the samples’ mean and report their spread]:duplicates:(stop mean)' \
        '--cluster=[items with the same value of this field belong together\: errors by cluster]:FIELD|item|none: ' \
        '*--by=[also for each value of this field]:FIELD: ' \
        '--exact[the exact McNemar test in place of mid-p; of up to 20 scores all sign flips in place of t]' \
        '--bootstrap=[intervals and p from N resamples of the items (or clusters); 0\: closed forms]:N: ' \
        '--seed=[of the resamples]:TEXT: ' \
        '--ci=[level of the confidence intervals]:LEVEL: ' \
        '--show=[write items in place of figures, with what each run said\: those on which runs differ, or that lack an outcome]:show:(flips missing)' \
        '--fail-worse=[exit 1 where b is worse than a by more than D, beyond chance\: the interval of b − a lies below −D]:D: ' \
        '--format=[table on a terminal, else json\: one object a pair, one a line]:format:(json table csv tsv markdown)' \
        '(-o --output)-o[write here, complete or not at all]:FILE:_files' \
        '(-o --output)--output=[write here, complete or not at all]:FILE:_files' \
        '--combine=[how an item’s trials become one result \[the kind’s own\: vote, mean or majority\]]:combine:(vote agree first mean median trimmed majority)' \
        '--label=[the field with what is right \[label\]]:FIELD: ' \
        '--tie=[what a tie is worth in the accuracy where the label names a winner \[0\]]:X: ' \
        '*--criteria=[weights, targets and thresholds of the criteria asked about, in place of those they were asked with]:FILE:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--compat=[add up as that original does, oddities included]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2)' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-rank)
      _arguments -s -S \
        '--method=[mean score, Bradley–Terry, or online Elo, for which order counts \[mean where one model is in every battle, else bt\]]:method:(mean bt elo)' \
        '--a=[field with the first model’s name \[model_a, model_1, generator_1\]]:FIELD: ' \
        '--b=[field with the second model’s name \[model_b, model_2, generator_2\]]:FIELD: ' \
        '--id=[the field that tells items apart \[jb’s own, else pair_id, question_id, id, uid, idx\]]:FIELD: ' \
        '--baseline=[scores are against this model \[mean\: the one in every battle; bt\: the average model\]]:MODEL: ' \
        '--against=[the same as --baseline]:MODEL: ' \
        '--strong=[how many votes a strong verdict is \[1\]]:1|3: ' \
        '--games=[the first game of a pair alone, or all]:games:(first all)' \
        '--ridge=[bt\: less L/2 · Σ r² in the likelihood, so that also unbeaten models have a rating]:L: ' \
        '*--control=[at equal length, markdown, style (both), or FIELD (FIELD_a and FIELD_b, or a difference); alpaca_eval’s length_controlled_v1, length_controlled_noreg, length_controlled_minimal]:WHAT: ' \
        '--features=[how --control makes features\: of counts, or of densities]:features:(arena-hard arena-hard-v2)' \
        '--difficulty=[alpaca_eval’s df_gamed.csv, for length-controlled win rates]:FILE:_files' \
        '--compat=[rank as that original does, oddities included]:compat:(arena-hard arena-hard-v2 chatbot-arena alpaca_eval)' \
        '--cluster=[what is resampled, and errors are clustered by\: items, values of a field, or each battle for itself]:FIELD|item|none: ' \
        '*--by=[a leaderboard for each value of this field]:FIELD: ' \
        '--bootstrap=[intervals from N resamples; 0\: closed forms (clustered errors, sandwich)]:N: ' \
        '--rounds=[the same as --bootstrap]:N: ' \
        '--seed=[of the resamples]:TEXT: ' \
        '--ci=[level of the confidence intervals]:LEVEL: ' \
        '--show=[in place of a leaderboard\: wins, ties and losses of every two models; three that beat each other in turn; coefficients of --control]:show:(pairs cycles controls)' \
        '--as=[the original’s own table or CSV; rewardbench\: of pairs judged by subset, a result file for each judge]:as:(arena-hard arena-hard-csv alpaca_eval chatbot-arena rewardbench)' \
        '--stamp=[arena-hard-csv\: the date in its last column]:TEXT: ' \
        '--partial[write sums that can be merged in place of a leaderboard]' \
        '--merge[the input is what --partial wrote]' \
        '--format=[table on a terminal, else json\: one object a model, one a line]:format:(json table csv tsv markdown)' \
        '(-o --output)-o[write here, complete or not at all]:FILE:_files' \
        '(-o --output)--output=[write here, complete or not at all]:FILE:_files' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-audit)
      _arguments -s -S \
        '*--truth=[what people said\: a field (a list, or several options\: several annotators), or a file of rows with an id and label or labels \[label\]]:FIELD|FILE:_files' \
        '--value=[the judge’s answer in plain rows]:FIELD: ' \
        '--id=[the field that tells items apart \[jb’s own, else pair_id, question_id, id, uid, idx\]]:FIELD: ' \
        '--length-a=[the first answer, or its length \[response_A, output_1, answer_a\]]:FIELD: ' \
        '--length-b=[the second answer, or its length \[response_B, output_2, answer_b\]]:FIELD: ' \
        '--own=[the judge’s own model, among those whose answers are compared]:MODEL: ' \
        '--p=[a probability\: that the judge is right, or of what a truth of 0 or 1 says \[the verdict’s confidence\]]:FIELD: ' \
        '--sensitivity=[of another labelled set\: the judge said yes in TP of M1 that are]:TP/M1: ' \
        '--specificity=[and no in TN of M0 that are not]:TN/M0: ' \
        '--epsilon=[alternative annotator test\: what the judge may be worse by (0.2 experts, 0.15 skilled, 0.1 a crowd)]:E: ' \
        '--bootstrap=[resamples for the interval of kappa; 0\: its closed form]:N: ' \
        '--seed=[of the resamples]:TEXT: ' \
        '--ci=[level of the confidence intervals]:LEVEL: ' \
        '--format=[table on a terminal, else json\: one object a section, one a line]:format:(json table)' \
        '(-o --output)-o[write here, complete or not at all]:FILE:_files' \
        '(-o --output)--output=[write here, complete or not at all]:FILE:_files' \
        '--combine=[how an item’s trials become one result \[the kind’s own\: vote, mean or majority\]]:combine:(vote agree first mean median trimmed majority)' \
        '--label=[the field with what is right \[label\]]:FIELD: ' \
        '--tie=[what a tie is worth in the accuracy where the label names a winner \[0\]]:X: ' \
        '*--criteria=[weights, targets and thresholds of the criteria asked about, in place of those they were asked with]:FILE:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--compat=[add up as that original does, oddities included]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2)' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-view)
      _arguments -s -S \
        '(-o --output)-o[write here, complete or not at all]:FILE:_files' \
        '(-o --output)--output=[write here, complete or not at all]:FILE:_files' \
        '--text[cards for the terminal in place of a page]' \
        '*--item=[only this item (repeatable)]:ID: ' \
        '--follow[a table that grows with the file named, until it is complete or you press ^C]' \
        '*--by=[also for each value of this field \[the first of source, category, subset, task that is there\]]:FIELD: ' \
        '--by-file[rows of different files are different runs, also of the same judge and model]' \
        '*--map=[the field with the question, answer_a and answer_b (or answer), where the judge does not say \[found by their usual names\]]:NAME=FIELD: ' \
        '--title=[the page’s title \[the files’ names\]]:TEXT: ' \
        '--ci=[level of the confidence intervals]:LEVEL: ' \
        '--combine=[how an item’s trials become one result \[the kind’s own\: vote, mean or majority\]]:combine:(vote agree first mean median trimmed majority)' \
        '--label=[the field with what is right \[label\]]:FIELD: ' \
        '--tie=[what a tie is worth in the accuracy where the label names a winner \[0\]]:X: ' \
        '*--criteria=[weights, targets and thresholds of the criteria asked about, in place of those they were asked with]:FILE:{_alternative "words:value:(answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality)" "files:file:_files"}' \
        '--compat=[add up as that original does, oddities included]:compat:(judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2)' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
    jb-workflow)
      _arguments -s -S \
        '(-w --workflow)-w[the same as FILE; without either, the default workflow]:FILE:_files' \
        '(-w --workflow)--workflow=[the same as FILE; without either, the default workflow]:FILE:_files' \
        '--topics=[the topics]:FILE:_files' \
        '--rag-topics=[the same as --topics]:FILE:_files' \
        '--responses=[the runs\: all files of this folder]:DIR:_files' \
        '--rag-responses=[the same as --responses]:DIR:_files' \
        '--nuggets=[a bank of yours\: judged with, or built on]:FILE:_files' \
        '--nugget-banks=[the same as --nuggets]:FILE:_files' \
        '--bank=[banks are argue, nuggetizer, ragtime26, or what this small file describes]:FORMAT: ' \
        '(-m --model)-m[the model to ask, where no llm_model names another]:NAME:(baseline\:first baseline\:longer baseline\:overlap baseline\:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/)' \
        '(-m --model)--model=[the model to ask, where no llm_model names another]:NAME:(baseline\:first baseline\:longer baseline\:overlap baseline\:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/)' \
        '--llm-config=[llm-config.yml\: model and endpoint, or model_preferences]:FILE:_files' \
        '--available-models=[what model_preferences are looked up in \[AUTOJUDGE_AVAILABLE_MODELS, ~/.autojudge/available_models.yml\]]:FILE:_files' \
        '--call=[further options of every jb-call, as one text, split into words\: --call '\''-j 64 --base-url URL'\'']:OPTIONS: ' \
        '--judge=[who judges \[judge_class\]]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '--nugget-judge=[who makes nuggets \[nugget_class; rubric_questions for rubric, nuggetize for nugget_assign\]]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '--qrels-judge=[who grades for qrels \[qrels_class; else the judge, where it grades whole responses\]]:JUDGE:{_alternative "words:value:(alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla)" "files:file:_files"}' \
        '--create-nuggets[make nuggets]' \
        '--no-create-nuggets[make no nuggets]' \
        '--create-qrels[make qrels]' \
        '--no-create-qrels[make no qrels]' \
        '--no-judge[make no leaderboard]' \
        '--no-nugget-judge[the judge gets no nuggets]' \
        '--no-nugget-depends-on-responses[who makes nuggets gets no responses]' \
        '--no-judge-uses-qrels[the judge gets no qrels]' \
        '--no-qrels-uses-nuggets[who makes qrels gets no nuggets]' \
        '--augment-report[also write the responses with what was said of them]' \
        '--force-recreate-nuggets[make banks again that are there]' \
        '--no-force-recreate-nuggets[use banks that are there]' \
        '--force-recreate-qrels[make qrels again that are there]' \
        '--python=[the Python that runs judges which are Python classes (module\:Class)\: that of your environment]:PYTHON: ' \
        '*--variant=[run this variant]:NAME: ' \
        '--all-variants[run every variant]' \
        '*--sweep=[run every point of this sweep]:NAME: ' \
        '*-S[a shared setting; a variant’s own comes before it]:KEY=VALUE: ' \
        '*--set=[a shared setting; a variant’s own comes before it]:KEY=VALUE: ' \
        '*-N[a setting of nuggets]:KEY=VALUE: ' \
        '*--set-nugget=[a setting of nuggets]:KEY=VALUE: ' \
        '*-Q[a setting of qrels]:KEY=VALUE: ' \
        '*--set-qrels=[a setting of qrels]:KEY=VALUE: ' \
        '*-J[a setting of judging]:KEY=VALUE: ' \
        '*--set-judge=[a setting of judging]:KEY=VALUE: ' \
        '*--nset=[the same as --set-nugget]:KEY=VALUE: ' \
        '*--qset=[the same as --set-qrels]:KEY=VALUE: ' \
        '*--jset=[the same as --set-judge]:KEY=VALUE: ' \
        '*--ignore-settings=[leave out this setting, which changes nothing\: else it is an error (repeatable, or with commas)]:NAME: ' \
        '*--flag=[a lifecycle flag, over the file’s\: create_nuggets, judge_uses_nuggets, …]:NAME=yes|no: ' \
        '--filebase=[what file names begin with, over the file’s \[{_name}\]]:TEMPLATE: ' \
        '--out-dir=[where files are made]:DIR:_files' \
        '--store-nuggets=[the bank’s file]:FILE:_files' \
        '--leaderboard-file=[the leaderboard’s file]:FILE:_files' \
        '--leaderboard-format=[the leaderboard’s columns\: trec, ir_measures, tot, rag4reports, trec_eval, ranking, jsonl \[ir_measures; under --compat seed, tot\]]:NAME:(trec ir_measures tot rag4reports trec_eval ranking jsonl)' \
        '--qrels-output=[the qrels’ file]:FILE:_files' \
        '--qrels-input=[grades of yours, which go with the topics where no qrels are made]:FILE:_files' \
        '--limit-topics=[only the first N topics; file names begin with tmp-]:N: ' \
        '--limit-runs=[only the first N runs of the files; file names begin with tmp-]:N: ' \
        '*--topic=[only these topics; file names begin with tmp-]:ID: ' \
        '*--run=[only these runs; file names begin with tmp-]:ID: ' \
        '--compat=[file names and defaults of AutoJudge’s first generation\: .judgment.json, .judgment.qrels, judge only]:compat:(seed)' \
        '--plan[print the configurations, one object a line]' \
        '(-j --jobs)-j[with run\: steps at once]:N: ' \
        '(-j --jobs)--jobs=[with run\: steps at once]:N: ' \
        '(-n --dry-run)-n[with run\: print what would be done]' \
        '(-n --dry-run)--dry-run[with run\: print what would be done]' \
        '(-k --keep-going)-k[with run\: go on with what does not depend on a step that failed]' \
        '(-k --keep-going)--keep-going[with run\: go on with what does not depend on a step that failed]' \
        '(-o --output)-o[write the Makefile here; with run\: the leaderboard’s file]:FILE:_files' \
        '(-o --output)--output=[write the Makefile here; with run\: the leaderboard’s file]:FILE:_files' \
        '--bad-rows=[a line that is no JSON object\: stop (exit 65), skip it, or pass it on as a row with jb.error]:bad-rows:(stop skip pass)' \
        '--strict[stop at the first row that fails (exit 1)]' \
        '(-q --quiet)-q[no summary, no progress, only errors that end the run]' \
        '(-q --quiet)--quiet[no summary, no progress, only errors that end the run]' \
        '(-v --verbose)-v[a summary also when nothing failed]' \
        '(-v --verbose)--verbose[a summary also when nothing failed]' \
        '--progress=[a bar on stderr\: auto is on a terminal only]:progress:(auto always never)' \
        '--color=[colours\: auto is on a terminal without NO_COLOR]:color:(auto always never)' \
        '--debug[stack traces in errors]' \
        '(-h --help)-h[examples, and the options that matter most]' \
        '(-h --help)--help[examples, and the options that matter most]' \
        '--help-all[every option, with notes]' \
        '--version[the version]' \
        '*:file:_files'
      ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _jb "$@"; else compdef _jb jb-read jb-render jb-call jb-parse jb-score jb-aggregate jb-compare jb-rank jb-audit jb-view jb-workflow; fi
