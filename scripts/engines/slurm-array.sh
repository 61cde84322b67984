#!/usr/bin/env bash
# One part of a run as a task of a Slurm array: see docs/slurm.md.
#   split -n l/100 -d -a 3 --additional-suffix .jsonl pairs.jsonl part-
#   sbatch --array=0-99%20 scripts/engines/slurm-array.sh arena_hard gpt-4o
#SBATCH --job-name=judge
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --signal=B:INT@120
#SBATCH --requeue
set -euo pipefail
judge=$1 model=$2
part=part-$(printf '%03d' "${SLURM_ARRAY_TASK_ID:-0}")
# What was finished stands: a requeued task has nothing left to do.
[ -e "$part.state" ] && exit 0
# Slurm sends the signal to this shell, two minutes before the end: calls under way are finished then, and exit 75
# has the task queued again.
run() {
  jb-render "$judge" --order both "$part.jsonl" > "$part.trials.ndjson"
  jb-call -m "$model" --cache "$part.replies" "$part.trials.ndjson" > "$part.replies.ndjson" &
  call=$!
  trap 'kill -INT "$call"' INT TERM
  while true; do
    code=0
    wait "$call" || code=$?
    # A signal ends the wait, not the call.
    kill -0 "$call" 2> /dev/null || break
  done
  [ "$code" -eq 0 ] || return "$code"
  jb-parse "$part.replies.ndjson" | jb-aggregate --partial > "$part.state.new"
  mv "$part.state.new" "$part.state"
}
code=0
run || code=$?
if [ "$code" -eq 75 ] && [ -n "${SLURM_JOB_ID:-}" ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
