#!/usr/bin/env bash
# What recording and asking cost on a real server: Benchmarks/answers.sh SERVER [RUNS]
#
#   SERVER      Examples/web-service, release build with guards
#   RUNS        how often each is timed; default 9
# Environment: FIRSTLIGHT (default .build/release/firstlight).
#
# Prints medians. Recording is set against the same server run bare: what `record` adds between
# SIGTERM and the end. Order and list are set against `llvm-nm` on the same binary, which reads and
# prints every symbol of it.
set -euo pipefail

server=${1:?usage: Benchmarks/answers.sh SERVER [RUNS]}
runs=${2:-9}
firstlight=${FIRSTLIGHT:-.build/release/firstlight}
work=$(mktemp -d)
pid=
trap '[[ -z $pid ]] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT

now() { date +%s%N; }

# Starts a command that runs the server, sends one request, and prints the milliseconds from SIGTERM
# to the command's end.
stop_time() {
  mkfifo "$work/out"
  "$@" >"$work/out" 2>/dev/null &
  pid=$!
  local line port begin end
  exec 3<"$work/out"
  while read -r line <&3 && [[ $line != 'listening on '* ]]; do :; done
  port=${line##*:}
  curl -sS --noproxy '*' "http://127.0.0.1:$port/notes" >/dev/null
  begin=$(now)
  kill -TERM "$pid"
  wait "$pid" || true
  end=$(now)
  pid=
  exec 3<&-
  rm "$work/out"
  echo $(((end - begin) / 1000))
}

# Prints the microseconds a command takes.
time_of() {
  local begin
  begin=$(now)
  "$@" >"$work/output"
  echo $((($(now) - begin) / 1000))
}

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
milliseconds() { awk -v us="$1" 'BEGIN { printf "%.1f ms", us / 1000 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# Interleaved, so that a change of the machine's speed falls on all alike. The first round warms up.
for ((run = 0; run <= runs; run++)); do
  bare=$(stop_time "$server" --port 0)
  recorded=$(stop_time "$firstlight" record -o "$work/p.flp" -- "$server" --port 0)
  names=$(time_of llvm-nm "$server")
  order=$(time_of "$firstlight" order "$work/p.flp")
  dead=$(time_of "$firstlight" dead "$work/p.flp")
  ((run == 0)) && continue
  for kind in bare recorded names order dead; do echo "${!kind}" >>"$work/$kind"; done
done
for kind in bare recorded names order dead; do declare "$kind=$(median <"$work/$kind")"; done

guards=$("$firstlight" info --format json "$work/p.flp" | awk -F'[:,]' '/"guards" *: *[0-9]/ { print $2 + 0 }')
printf 'Server with %s guards, %s runs, medians:\n' "$guards" "$runs"
printf '  %-38s %10s\n' \
  'SIGTERM to end, bare' "$(milliseconds "$bare")" \
  'SIGTERM to end, recorded' "$(milliseconds "$recorded")" \
  '  so recording adds after exit' "$(milliseconds $((recorded - bare)))" \
  'llvm-nm' "$(milliseconds "$names")" \
  'firstlight order' "$(milliseconds "$order")  $(ratio "$order" "$names") of llvm-nm" \
  'firstlight dead' "$(milliseconds "$dead")  $(ratio "$dead" "$names") of llvm-nm"
