#!/usr/bin/env bash
# The same run by several engines: each must give the report of one machine, byte for byte. By hand (`make engines`);
# an engine that is not installed is skipped and named. ENGINES_PYTHON is a Python with pyspark, ray and snakemake.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="$root/bin:$PATH"
pairs=$root/fixtures/pairs.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/cache PARALLEL_HOME=$work
ask='jb-render arena_hard --order both | jb-call -q -m baseline:longer | jb-parse'
bash -o pipefail -c "$ask | jb-aggregate" < "$pairs" > whole.json
failed=0
same() {
  if cmp -s whole.json "$2"; then echo "same: $1"; else echo "DIFFERS: $1"; failed=1; fi
}
missing() { echo "NOT RUN: $1 ($2 is not installed)"; }

if command -v parallel > /dev/null; then
  parallel --pipepart -a "$pairs" --block 4k -j 4 "$ask | jb-aggregate --partial" | jb-aggregate --merge > parallel.json
  same 'GNU parallel --pipepart' parallel.json
  split -n l/6 -d --additional-suffix .jsonl "$pairs" part-
  # The first attempt at one of the parts fails; --resume-failed runs that one again and no other.
  run="[ {} != part-03.jsonl ] || [ -e tried ] || { touch tried; exit 1; }; echo {} >> ran; cat {} | $ask | jb-aggregate --partial > {.}.state"
  printf '%s\n' part-*.jsonl | parallel --joblog jobs -j 4 "$run" || true
  printf '%s\n' part-*.jsonl | parallel --joblog jobs --resume-failed -j 4 "$run"
  [ "$(wc -l < ran)" -eq 6 ] || { echo 'DIFFERS: a part was run twice'; failed=1; }
  jb-aggregate --merge part-*.state > joblog.json
  same 'GNU parallel --joblog --resume-failed' joblog.json
else missing 'GNU parallel' parallel; fi

mkdir xargs && split -n l/6 -d --additional-suffix .jsonl "$pairs" xargs/part-
printf '%s\0' xargs/part-*.jsonl | xargs -0 -P 4 -I {} bash -o pipefail -c "cat {} | $ask | jb-aggregate --partial > {}.state"
jb-aggregate --merge xargs/part-*.state > xargs.json
same 'xargs -P' xargs.json

mkdir make && split -n l/5 -d --additional-suffix .jsonl "$pairs" make/part-
# shellcheck disable=SC2016 # make's own variables
printf 'include %s/jb.mk\nJUDGE = arena_hard\nRENDERFLAGS = --order both\nCALLFLAGS = -q\nall: $(patsubst %%.jsonl,%%.verdicts.ndjson,$(wildcard *.jsonl))\n.DEFAULT_GOAL = all\n' "$root" > make/Makefile
make -s -C make -j 4
jb-aggregate make/part-*.verdicts.ndjson > make.json
same 'make -j on jb.mk' make.json

# Map, shuffle, reduce: verdicts leave the mappers keyed by item, each reducer gets whole items, states are added up.
mkdir map
split -n l/4 -d "$pairs" map/in-
for input in map/in-*; do
  bash -o pipefail -c "$ask" < "$input" | jq -r '[.jb.item, tojson] | join("\t")' > "$input.out"
done
cat map/in-*.out | sort -t "$(printf '\t')" -k 1,1 | awk -F '\t' '{ h = 0; for (i = 1; i <= length($1); i++) h += index("abcdefghijklmnopqrstuvwxyz0123456789-", substr($1, i, 1)); print $2 > ("map/reduce-" h % 3) }'
for input in map/reduce-*; do jb-aggregate --partial "$input"; done | jb-aggregate --merge > map.json
same 'map, sort, reduce' map.json

python=${ENGINES_PYTHON:-python3}
if "$python" -c 'import pyspark' 2> /dev/null; then
  for where in '1 local[2]' '7 local-cluster[2,1,1024]'; do
    read -r parts master <<< "$where"
    "$python" "$root/scripts/engines/spark.py" "$pairs" "$parts" "$master" > spark.json 2> spark.log || { tail -5 spark.log; failed=1; }
    same "Spark, Parquet in $parts parts, $master" spark.json
  done
else missing Spark pyspark; fi
if "$python" -c 'import ray' 2> /dev/null; then
  RAY_AUTH_MODE=disabled "$python" "$root/scripts/engines/ray_run.py" "$pairs" 5 > ray.json 2> ray.log || { tail -5 ray.log; failed=1; }
  same Ray ray.json
else missing Ray ray; fi
if "$python" -c 'import snakemake' 2> /dev/null; then
  mkdir snakemake && split -n l/5 -d --additional-suffix .jsonl "$pairs" snakemake/part-
  "$python" -m snakemake -q -s "$root/scripts/engines/Snakefile" -d snakemake --cores 4 2> snakemake.log || { tail -5 snakemake.log; failed=1; }
  same Snakemake snakemake/report.json
else missing Snakemake snakemake; fi

mkdir slurm && split -n l/3 -d -a 3 --additional-suffix .jsonl "$pairs" slurm/part-
for task in 0 1 2 1; do (cd slurm && SLURM_ARRAY_TASK_ID=$task bash "$root/scripts/engines/slurm-array.sh" arena_hard baseline:longer 2> log); done
jb-aggregate --merge slurm/part-*.state > slurm.json
same 'the tasks of a Slurm array, one after the other' slurm.json
if command -v shellcheck > /dev/null; then
  shellcheck "$root/scripts/engines/slurm-array.sh" "$root/scripts/engines/run.sh" && echo 'shellcheck: no complaints'
else missing 'checks of the scripts' shellcheck; fi
exit "$failed"
