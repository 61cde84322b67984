#!/usr/bin/env bash
# Interrupts real processes at 200 random moments: ./scripts/interrupts.sh (by hand, some minutes).
# A report that is written with -o is whole or not there, and jb-score behind `| head -1` calls nothing incomplete.
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/bin:$PATH"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'BEGIN { for (i = 0; i < 40000; i++) { n = i % 2; printf "{\"pair_id\":\"p%d\",\"label\":\"A>B\",\"jb\":{\"judge\":\"vanilla\",\"item\":\"p%d\",\"trial\":{\"n\":%d,\"of\":2,\"order\":\"%s\"},\"reply\":{\"text\":\"t\",\"model\":\"m\"},\"verdict\":{\"label\":\"a\",\"decision\":\"A>B\"}}}\n", i / 2, i / 2, n, n ? "BA" : "AB" } }' > "$folder/rows"
jb-aggregate -o "$folder/whole" "$folder/rows"
bad=0 stopped=0
for i in $(seq 200); do
  rm -f "$folder/report"
  case $((i % 3)) in
    0) # ^C and SIGTERM reach every process of a pipe.
      signal=$([ $((i % 2)) = 0 ] && echo INT || echo TERM)
      setsid bash -c "cat '$folder/rows' | jb-aggregate -q -o '$folder/report'" & pid=$!
      sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
      kill -s "$signal" -- "-$pid" 2> /dev/null && stopped=$((stopped + 1))
      wait "$pid" 2> /dev/null
      if [ -e "$folder/report" ] && ! cmp -s "$folder/report" "$folder/whole"; then bad=$((bad + 1)); echo "$i: a partial report"; fi ;;
    1) # The reader is gone.
      jb-aggregate -q --format json "$folder/rows" 2> "$folder/err" | head -c $((RANDOM % 50)) > /dev/null
      if [ -s "$folder/err" ]; then bad=$((bad + 1)); echo "$i: $(cat "$folder/err")"; fi ;;
    2)
      jb-score "$folder/rows" 2> "$folder/err" | head -n $((RANDOM % 3 + 1)) > /dev/null
      if [ -s "$folder/err" ]; then bad=$((bad + 1)); echo "$i: $(cat "$folder/err")"; fi ;;
  esac
done
echo "200 interrupts, $stopped by a signal, $bad wrong"
[ "$bad" = 0 ]
