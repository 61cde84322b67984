# bash completion of the jb filters: source <(jb-read --completion bash)
_jb() {
  local line word before value= words= files= options=
  # One word, also where bash has cut it at = or :.
  line=${COMP_LINE:0:COMP_POINT}
  word=${line##*[[:space:]]}
  line=${line%"$word"}
  line=${line%"${line##*[![:space:]]}"}
  before=${line##*[[:space:]]}
  if [[ $word == --*=* ]]; then
    before=${word%%=*}
    word=${word#*=}
  fi
  case $1 in
    jb-read)
      options='--list --completion --at --pairs --topics --responses --nuggets --bank --qrels --per --topic --run --limit-topics --limit-runs --unknown-topics --without --whole --answers --baseline --from --header --delimiter --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --completion) value=1 words='bash zsh fish' files= ;;
        --at) value=1 words='' files= ;;
        --pairs) value=1 words='' files= ;;
        --topics) value=1 words='' files=1 ;;
        --responses) value=1 words='' files=1 ;;
        --nuggets) value=1 words='' files=1 ;;
        --bank) value=1 words='' files= ;;
        --qrels) value=1 words='' files=1 ;;
        --per) value=1 words='response topic pair' files= ;;
        --topic) value=1 words='' files= ;;
        --run) value=1 words='' files= ;;
        --limit-topics) value=1 words='' files= ;;
        --limit-runs) value=1 words='' files= ;;
        --unknown-topics) value=1 words='skip keep stop' files= ;;
        --without) value=1 words='' files= ;;
        --answers) value=1 words='' files=1 ;;
        --baseline) value=1 words='' files= ;;
        --from) value=1 words='ir_measures tot rag4reports trec_eval ranking jsonl' files= ;;
        --header) value=1 words='auto yes no' files= ;;
        --delimiter) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='alpaca_eval arena-battles arena-hard autojudge csv evalassist example ir_measures json jsonl judgebench-outputs llmbar lm-eval mt-bench mt-bench-judgments nuggets parquet qrels rag4reports ranking rewardbench-scores tot trec trec_eval' files=1 ;;
      esac
      ;;
    jb-render)
      options='--order --seed --samples --criteria --contests --probe --personas --map --set --id --name --templates --syntax --undefined --compat --limit --sample --by --preview --list --list-criteria --show --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --order) value=1 words='ab ba both random alpaca_eval' files= ;;
        --seed) value=1 words='' files= ;;
        --samples) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --probe) value=1 words='null pad quote swap' files= ;;
        --personas) value=1 words='' files=1 ;;
        --map) value=1 words='' files= ;;
        --set) value=1 words='' files= ;;
        --id) value=1 words='' files= ;;
        --name) value=1 words='' files= ;;
        --templates) value=1 words='' files=1 ;;
        --syntax) value=1 words='jinja format alpaca nunjucks' files= ;;
        --undefined) value=1 words='error empty' files= ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist' files= ;;
        --limit) value=1 words='' files= ;;
        --sample) value=1 words='' files= ;;
        --by) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
      esac
      ;;
    jb-call)
      options='--model --list-providers --base-url --api --api-key-env --judge --param --temperature --max-tokens --header --concurrency --retries --compat --retry-min --retry-max --timeout --rpm --tpm --no-adapt --preflight --no-preflight --max-error-rate --repair --cache --no-cache --refresh --record --replay --price --max-cost --max-requests --limits --limits-lost --log --dry-run --batch --batch-files --cache-info --cache-clear --unordered --run --status --limit --total --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        -m|--model) value=1 words='baseline:first baseline:longer baseline:overlap baseline:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/' files= ;;
        --base-url) value=1 words='' files= ;;
        --api) value=1 words='anthropic azure bedrock chat completions gemini ollama responses watsonx' files= ;;
        --api-key-env) value=1 words='' files= ;;
        --judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --param) value=1 words='' files= ;;
        --temperature) value=1 words='' files= ;;
        --max-tokens) value=1 words='' files= ;;
        --header) value=1 words='' files= ;;
        -j|--concurrency) value=1 words='' files= ;;
        --retries) value=1 words='' files= ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist' files= ;;
        --retry-min) value=1 words='' files= ;;
        --retry-max) value=1 words='' files= ;;
        --timeout) value=1 words='' files= ;;
        --rpm) value=1 words='' files= ;;
        --tpm) value=1 words='' files= ;;
        --max-error-rate) value=1 words='' files= ;;
        --repair) value=1 words='' files= ;;
        --cache) value=1 words='' files=1 ;;
        --record) value=1 words='' files=1 ;;
        --replay) value=1 words='' files=1 ;;
        --price) value=1 words='' files= ;;
        --max-cost) value=1 words='' files= ;;
        --max-requests) value=1 words='' files= ;;
        --limits) value=1 words='' files= ;;
        --limits-lost) value=1 words='stop continue' files= ;;
        --log) value=1 words='' files=1 ;;
        --batch) value=1 words='emit submit status fetch join' files= ;;
        --batch-files) value=1 words='' files=1 ;;
        --run) value=1 words='' files=1 ;;
        --status) value=1 words='' files=1 ;;
        --limit) value=1 words='' files= ;;
        --total) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-parse)
      options='--judge --text --pick --compat --fallback --seed --id --format --bom --safe --limit --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --text) value=1 words='' files= ;;
        --pick) value=1 words='last first only' files= ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist' files= ;;
        --fallback) value=1 words='' files= ;;
        --seed) value=1 words='' files= ;;
        --id) value=1 words='' files= ;;
        --format) value=1 words='ndjson csv tsv' files= ;;
        --limit) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-score)
      options='--combine --label --tie --criteria --compat --format --bom --safe --as --topics --bank --limit --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --combine) value=1 words='vote agree first mean median trimmed majority' files= ;;
        --label) value=1 words='' files= ;;
        --tie) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2' files= ;;
        --format) value=1 words='ndjson csv tsv' files= ;;
        --as) value=1 words='evalassist judgebench lm-eval lm-eval-details mt-bench mt-bench-csv mt-bench-results nuggets responses rewardbench rewardbench2 rm-gallery' files= ;;
        --topics) value=1 words='' files=1 ;;
        --bank) value=1 words='' files= ;;
        --limit) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-aggregate)
      options='--by --format --as --save --stamp --baseline --output --ci --combine --label --tie --criteria --compat --labels --expect --id --common --max-error-rate --fail-under --judge --topics --bank --measure --set --on-missing --default --drop-aggregate --doc --duplicates --truth --truth-from --from --header --correlation --truth-measure --run --only-shared-runs --aggregate --diagnostics-dir --only-topic --only-shared-topics --range --relevant --max-grade --default-grade --partial --merge --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --by) value=1 words='' files= ;;
        --format) value=1 words='json table csv tsv markdown' files= ;;
        --as) value=1 words='evalassist ir_measures jsonl judgebench lm-eval lm-eval-details mt-bench mt-bench-csv mt-bench-results nuggets qrels rag4reports ranking responses rewardbench rewardbench2 rm-gallery spread tot trec trec_eval' files= ;;
        --save) value=1 words='' files=1 ;;
        --stamp) value=1 words='' files= ;;
        --baseline) value=1 words='' files= ;;
        -o|--output) value=1 words='' files=1 ;;
        --ci) value=1 words='' files= ;;
        --combine) value=1 words='vote agree first mean median trimmed majority' files= ;;
        --label) value=1 words='' files= ;;
        --tie) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2 autojudge' files= ;;
        --labels) value=1 words='' files=1 ;;
        --expect) value=1 words='' files=1 ;;
        --id) value=1 words='' files= ;;
        --max-error-rate) value=1 words='' files= ;;
        --fail-under) value=1 words='' files= ;;
        --judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --topics) value=1 words='' files=1 ;;
        --bank) value=1 words='' files= ;;
        --measure) value=1 words='' files= ;;
        --set) value=1 words='' files= ;;
        --on-missing) value=1 words='warn skip default fix_aggregate error' files= ;;
        --default) value=1 words='' files= ;;
        --doc) value=1 words='md5 run' files= ;;
        --duplicates) value=1 words='keep_max keep_last error' files= ;;
        --truth) value=1 words='' files=1 ;;
        --truth-from) value=1 words='ir_measures tot rag4reports trec_eval ranking jsonl qrels' files= ;;
        --from) value=1 words='ir_measures tot rag4reports trec_eval ranking jsonl qrels' files= ;;
        --header) value=1 words='auto yes no' files= ;;
        --correlation) value=1 words='' files= ;;
        --truth-measure) value=1 words='' files= ;;
        --run) value=1 words='' files= ;;
        --diagnostics-dir) value=1 words='' files=1 ;;
        --only-topic) value=1 words='' files= ;;
        --range) value=1 words='' files= ;;
        --relevant) value=1 words='' files= ;;
        --max-grade) value=1 words='' files= ;;
        --default-grade) value=1 words='' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-compare)
      options='--run --against --value --id --duplicates --cluster --by --exact --bootstrap --seed --ci --show --fail-worse --format --output --combine --label --tie --criteria --compat --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --run) value=1 words='' files= ;;
        --against) value=1 words='' files= ;;
        --value) value=1 words='' files= ;;
        --id) value=1 words='' files= ;;
        --duplicates) value=1 words='stop mean' files= ;;
        --cluster) value=1 words='' files= ;;
        --by) value=1 words='' files= ;;
        --bootstrap) value=1 words='' files= ;;
        --seed) value=1 words='' files= ;;
        --ci) value=1 words='' files= ;;
        --show) value=1 words='flips missing' files= ;;
        --fail-worse) value=1 words='' files= ;;
        --format) value=1 words='json table csv tsv markdown' files= ;;
        -o|--output) value=1 words='' files=1 ;;
        --combine) value=1 words='vote agree first mean median trimmed majority' files= ;;
        --label) value=1 words='' files= ;;
        --tie) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-rank)
      options='--method --a --b --id --baseline --against --strong --games --ridge --control --features --difficulty --compat --cluster --by --bootstrap --rounds --seed --ci --show --as --stamp --partial --merge --format --output --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --method) value=1 words='mean bt elo' files= ;;
        --a) value=1 words='' files= ;;
        --b) value=1 words='' files= ;;
        --id) value=1 words='' files= ;;
        --baseline) value=1 words='' files= ;;
        --against) value=1 words='' files= ;;
        --strong) value=1 words='' files= ;;
        --games) value=1 words='first all' files= ;;
        --ridge) value=1 words='' files= ;;
        --control) value=1 words='' files= ;;
        --features) value=1 words='arena-hard arena-hard-v2' files= ;;
        --difficulty) value=1 words='' files=1 ;;
        --compat) value=1 words='arena-hard arena-hard-v2 chatbot-arena alpaca_eval' files= ;;
        --cluster) value=1 words='' files= ;;
        --by) value=1 words='' files= ;;
        --bootstrap) value=1 words='' files= ;;
        --rounds) value=1 words='' files= ;;
        --seed) value=1 words='' files= ;;
        --ci) value=1 words='' files= ;;
        --show) value=1 words='pairs cycles controls' files= ;;
        --as) value=1 words='arena-hard arena-hard-csv alpaca_eval chatbot-arena rewardbench' files= ;;
        --stamp) value=1 words='' files= ;;
        --format) value=1 words='json table csv tsv markdown' files= ;;
        -o|--output) value=1 words='' files=1 ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-audit)
      options='--truth --value --id --length-a --length-b --own --p --sensitivity --specificity --epsilon --bootstrap --seed --ci --format --output --combine --label --tie --criteria --compat --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        --truth) value=1 words='' files=1 ;;
        --value) value=1 words='' files= ;;
        --id) value=1 words='' files= ;;
        --length-a) value=1 words='' files= ;;
        --length-b) value=1 words='' files= ;;
        --own) value=1 words='' files= ;;
        --p) value=1 words='' files= ;;
        --sensitivity) value=1 words='' files= ;;
        --specificity) value=1 words='' files= ;;
        --epsilon) value=1 words='' files= ;;
        --bootstrap) value=1 words='' files= ;;
        --seed) value=1 words='' files= ;;
        --ci) value=1 words='' files= ;;
        --format) value=1 words='json table' files= ;;
        -o|--output) value=1 words='' files=1 ;;
        --combine) value=1 words='vote agree first mean median trimmed majority' files= ;;
        --label) value=1 words='' files= ;;
        --tie) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-view)
      options='--output --text --item --follow --by --by-file --map --title --ci --combine --label --tie --criteria --compat --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        -o|--output) value=1 words='' files=1 ;;
        --item) value=1 words='' files= ;;
        --by) value=1 words='' files= ;;
        --map) value=1 words='' files= ;;
        --title) value=1 words='' files= ;;
        --ci) value=1 words='' files= ;;
        --combine) value=1 words='vote agree first mean median trimmed majority' files= ;;
        --label) value=1 words='' files= ;;
        --tie) value=1 words='' files= ;;
        --criteria) value=1 words='answer_relevance better_answer better_summary coherence completeness conciseness consistency context_relevance correctness groundedness harmfulness instruction_following naturalness personal_data summary_faithfulness translation_quality' files=1 ;;
        --compat) value=1 words='judgebench rm-gallery lm-eval mt-bench evalassist rewardbench rewardbench2' files= ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
    jb-workflow)
      options='--workflow --topics --rag-topics --responses --rag-responses --nuggets --nugget-banks --bank --model --llm-config --available-models --call --judge --nugget-judge --qrels-judge --create-nuggets --no-create-nuggets --create-qrels --no-create-qrels --no-judge --no-nugget-judge --no-nugget-depends-on-responses --no-judge-uses-qrels --no-qrels-uses-nuggets --augment-report --force-recreate-nuggets --no-force-recreate-nuggets --force-recreate-qrels --python --variant --all-variants --sweep --set --set-nugget --set-qrels --set-judge --nset --qset --jset --ignore-settings --flag --filebase --out-dir --store-nuggets --leaderboard-file --leaderboard-format --qrels-output --qrels-input --limit-topics --limit-runs --topic --run --compat --plan --jobs --dry-run --keep-going --output --bad-rows --strict --quiet --verbose --progress --color --debug --help --help-all --version'
      case $before in
        -w|--workflow) value=1 words='' files=1 ;;
        --topics) value=1 words='' files=1 ;;
        --rag-topics) value=1 words='' files=1 ;;
        --responses) value=1 words='' files=1 ;;
        --rag-responses) value=1 words='' files=1 ;;
        --nuggets) value=1 words='' files=1 ;;
        --nugget-banks) value=1 words='' files=1 ;;
        --bank) value=1 words='' files= ;;
        -m|--model) value=1 words='baseline:first baseline:longer baseline:overlap baseline:random openai/gpt-4o openai/gpt-4o-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5.1 openai/gpt-5.2 openai/o1 openai/o3 openai/o3-mini openai/o4-mini openai/gpt-4-turbo openai/gpt-4 openai/gpt-3.5-turbo anthropic/claude-opus-4-5 anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-6 anthropic/claude-haiku-4-5 gemini/gemini-2.5-pro gemini/gemini-2.5-flash gemini/gemini-2.5-flash-lite anthropic/ azure/ bedrock/ chat/ completions/ deepseek/ gemini/ groq/ litellm/ llamacpp/ mistral/ ollama/ openai/ openrouter/ responses/ sglang/ tgi/ together/ vllm/ watsonx/' files= ;;
        --llm-config) value=1 words='' files=1 ;;
        --available-models) value=1 words='' files=1 ;;
        --call) value=1 words='' files= ;;
        --judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --nugget-judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --qrels-judge) value=1 words='alpaca_eval alpaca_eval_ranking arena_hard auto_j compass_judger direct first_sentence judge_lm llmbar m_prometheus m_prometheus_pairwise mt_bench mt_bench_pair mt_bench_rating nugget_assign nugget_importance nuggetize pairwise panda_lm persona preference prometheus_2 rating rating_weighted relevance rewardbench rewardbench_four rewardbench_ratings rubric rubric_questions skywork_critic unitxt unitxt_pairwise unitxt_pairwise_select unitxt_select vanilla' files=1 ;;
        --python) value=1 words='' files= ;;
        --variant) value=1 words='' files= ;;
        --sweep) value=1 words='' files= ;;
        -S|--set) value=1 words='' files= ;;
        -N|--set-nugget) value=1 words='' files= ;;
        -Q|--set-qrels) value=1 words='' files= ;;
        -J|--set-judge) value=1 words='' files= ;;
        --nset) value=1 words='' files= ;;
        --qset) value=1 words='' files= ;;
        --jset) value=1 words='' files= ;;
        --ignore-settings) value=1 words='' files= ;;
        --flag) value=1 words='' files= ;;
        --filebase) value=1 words='' files= ;;
        --out-dir) value=1 words='' files=1 ;;
        --store-nuggets) value=1 words='' files=1 ;;
        --leaderboard-file) value=1 words='' files=1 ;;
        --leaderboard-format) value=1 words='trec ir_measures tot rag4reports trec_eval ranking jsonl' files= ;;
        --qrels-output) value=1 words='' files=1 ;;
        --qrels-input) value=1 words='' files=1 ;;
        --limit-topics) value=1 words='' files= ;;
        --limit-runs) value=1 words='' files= ;;
        --topic) value=1 words='' files= ;;
        --run) value=1 words='' files= ;;
        --compat) value=1 words='seed' files= ;;
        -j|--jobs) value=1 words='' files= ;;
        -o|--output) value=1 words='' files=1 ;;
        --bad-rows) value=1 words='stop skip pass' files= ;;
        --progress) value=1 words='auto always never' files= ;;
        --color) value=1 words='auto always never' files= ;;
        *) words='' files=1 ;;
      esac
      ;;
  esac
  if [[ -z $value && $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $files && ( -n $value || ${#COMPREPLY[@]} -eq 0 ) ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$word"))
  fi
  # Of a word with a colon bash replaces what follows the last one.
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local i head=${word%"${word##*:}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$head"}; done
  fi
}
complete -F _jb jb-read jb-render jb-call jb-parse jb-score jb-aggregate jb-compare jb-rank jb-audit jb-view jb-workflow
