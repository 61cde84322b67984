#!/usr/bin/env bash
# Interrupts real processes at COUNT random moments of their run: ./scripts/interrupts.sh [COUNT] (by hand, some minutes).
# A report that is written with -o is whole or not there, and jb-score behind `| head -1` calls nothing incomplete.
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/bin:$PATH"
count=${1:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'BEGIN { for (i = 0; i < 40000; i++) { n = i % 2; printf "{\"pair_id\":\"p%d\",\"label\":\"A>B\",\"jb\":{\"judge\":\"vanilla\",\"item\":\"p%d\",\"trial\":{\"n\":%d,\"of\":2,\"order\":\"%s\"},\"reply\":{\"text\":\"t\",\"model\":\"m\"},\"verdict\":{\"label\":\"a\",\"decision\":\"A>B\"}}}\n", i / 2, i / 2, n, n ? "BA" : "AB" } }' > "$folder/rows"
# One group an item: the report is large, so that many of the moments fall into its writing.
report="jb-aggregate -q --by pair_id --format json"
start=$(date +%s%N)
$report -o "$folder/whole" "$folder/rows"
run_us=$((($(date +%s%N) - start) / 1000))
echo "a run takes $((run_us / 1000)) ms, its report has $(wc -c < "$folder/whole") bytes"
bad=0 stopped=0 absent=0
wrong() { bad=$((bad + 1)); echo "$1"; }
for i in $(seq "$count"); do
  rm -rf "$folder/out"
  mkdir "$folder/out"
  case $((i % 3)) in
    0) # ^C and SIGTERM reach every process of a pipe.
      signal=$([ $((i % 2)) = 0 ] && echo INT || echo TERM)
      setsid bash -c "cat '$folder/rows' | $report -o '$folder/out/report'" & pid=$!
      moment_us=$((RANDOM * 32768 % run_us))
      sleep "$((moment_us / 1000000)).$(printf %06d $((moment_us % 1000000)))"
      kill -s "$signal" -- "-$pid" 2> /dev/null && stopped=$((stopped + 1))
      wait "$pid" 2> /dev/null
      if [ ! -e "$folder/out/report" ]; then absent=$((absent + 1))
      elif ! cmp -s "$folder/out/report" "$folder/whole"; then wrong "$i: a partial report"; fi ;;
    1) # The reader is gone.
      $report "$folder/rows" 2> "$folder/err" | head -c $((RANDOM * 100)) > /dev/null
      if [ -s "$folder/err" ]; then wrong "$i: $(cat "$folder/err")"; fi ;;
    2)
      jb-score "$folder/rows" 2> "$folder/err" | head -n $((RANDOM % 3 + 1)) > /dev/null
      if [ -s "$folder/err" ]; then wrong "$i: $(cat "$folder/err")"; fi ;;
  esac
done
echo "$count interrupts, $stopped of them by a signal ($absent before the report stood there), $bad wrong"
[ "$bad" = 0 ]
