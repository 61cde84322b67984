/** The commands of the users’ documents, in their order, without their lines’ ends. */

export const JUDGEBENCH_DATA =
  'data/benchmarks/JudgeBench/data/dataset=judgebench,response_model=gpt-4o-2024-05-13.jsonl'
export const SCRIPT = 'python rm_gallery/gallery/evaluation/judgebench.py'

/** The tutorial's commands, in its order, without their lines' ends. */
export const RM_GALLERY = [
  `${SCRIPT} --help`,
  SCRIPT,
  `${SCRIPT} --data_path "${JUDGEBENCH_DATA}" --result_path "data/results/judgebench_results.json" --judge_type "arena_hard" --max_samples 50 --model "deepseek-chat" --max_workers 4`,
  SCRIPT,
  `${SCRIPT} --data_path "${JUDGEBENCH_DATA}" --result_path "data/results/judgebench.json" --judge_type "arena_hard" --max_samples 10 --model "deepseek-chat" --max_workers 4 --shuffle_responses`,
  `${SCRIPT} --data_path "${JUDGEBENCH_DATA}" --result_path "data/results/judgebench_\${judge_type}.json" --judge_type "$judge_type" --max_samples 20 --model "deepseek-chat" --max_workers 4`,
  `${SCRIPT} --data_path "${JUDGEBENCH_DATA}" --result_path "data/results/judgebench_production.json" --judge_type "arena_hard" --max_samples 200 --model "qwen3-32b" --max_workers 8 --shuffle_responses`,
  'python rm_gallery/gallery/evaluation/rewardbench2.py --data_path "data/benchmarks/reward-bench-2/data/test-00000-of-00001.parquet" --result_path "data/results/rewardbench2.json" --max_samples 100 --model "deepseek-chat"',
  `${SCRIPT} --data_path "${JUDGEBENCH_DATA}" --result_path "data/results/judgebench.json" --judge_type "arena_hard" --max_samples 100 --model "deepseek-chat"`,
]

/** Those of MT-bench’s rating extraction commands, in its order, without their lines' ends. */
export const MT_BENCH = [
  'python gen_judgment_vllm.py --gpus 0 1 --judge-model openai/gpt-oss-20b --tensor-parallel-size 2 --model-dir-list your-model-name --evaluate --evaluation-save-path results/evaluation.json',
  'python metric.py --judgment-file data/model_judgment/judgments.jsonl --save-path results/evaluation.json',
]

/** Those of TREC AutoJudge's guide: its commands. */
export const AUTOJUDGE = {
  variant: './judge.py run --workflow workflow.yml --variant strict ...',
  variants: './judge.py run --workflow workflow.yml --all-variants ...',
  sweep: './judge.py run --workflow workflow.yml --sweep threshold-grid ...',
  again: './judge.py run --workflow workflow.yml --force-recreate-nuggets ...',
  nuggify: './judge.py nuggify --rag-responses runs/ --rag-topics topics.jsonl --store-nuggets nuggets.jsonl',
  judge: './judge.py judge --rag-responses runs/ --nugget-banks nuggets.jsonl --output leaderboard.trec',
  run: './judge.py run --workflow workflow.yml --rag-responses runs/ --output leaderboard.trec',
  plain: './judge.py --rag-responses runs/ --output leaderboard.trec',
  default: './judge.py --rag-responses runs/ --output leaderboard.trec',
}
