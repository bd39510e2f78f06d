#!/usr/bin/env bash
# What breakpoints cost a program: Benchmarks/tracer.sh [PROGRAM [ARG...]]
#
#   PROGRAM     any program with symbols that ends by itself; by default a statically linked Swift
#               program with Foundation, built here
# Environment: FIRSTLIGHT (default .build/release/firstlight), RUNS (default 15).
#
# Prints medians: the program bare, the same under `record --no-rebuild` from its start to its end as
# the profile has it, and the whole command, which then makes the function table and writes the file.
# Goal: at most 0.20 s more for the program with 88,000 functions of which 4,200 are hit.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
runs=${RUNS:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As Scripts/bench gives us the server, which never ends by itself: take our own program.
if [[ ${1-} == */WebService ]]; then shift; fi
if (($# == 0)); then
  cat >"$work/hello.swift" <<'SWIFT'
import Foundation
struct Note: Codable { var number: Int; var text: String }
let data = try JSONEncoder().encode([Note(number: 1, text: "one")])
let notes = try JSONDecoder().decode([Note].self, from: data)
print(notes.count, Date(timeIntervalSince1970: 0), "a,b".components(separatedBy: ","))
SWIFT
  swiftc -O -static-stdlib -use-ld=lld "$work/hello.swift" -o "$work/hello" 2>/dev/null
  set -- "$work/hello"
fi

# Prints the microseconds a command takes.
time_of() {
  local begin
  begin=$(date +%s%N)
  "$@" >"$work/output" 2>"$work/errors" || true
  echo $((($(date +%s%N) - begin) / 1000))
}

# Microseconds from the program's start to its end, as the profile has them.
observed() {
  "$firstlight" info --format json "$1" |
    awk -F'[:,]' '/"secondsObserved"/ { printf "%d\n", $2 * 1e6 }'
}

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
milliseconds() { awk -v us="$1" 'BEGIN { printf "%.1f ms", us / 1000 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# Interleaved, so that a change of the machine's speed falls on all alike. The first round warms up.
for ((run = 0; run <= runs; run++)); do
  bare=$(time_of "$@")
  whole=$(time_of "$firstlight" record --no-rebuild -o "$work/p.flp" -- "$@")
  watched=$(observed "$work/p.flp")
  ((run == 0)) && continue
  for kind in bare watched whole; do echo "${!kind}" >>"$work/$kind"; done
done
for kind in bare watched whole; do declare "$kind=$(median <"$work/$kind")"; done

printf '%s, %s runs, medians:\n' "$(basename "$1")" "$runs"
sed -n 's/.*recorded \(.*\), to .*/  \1/p' "$work/errors"
printf '  %-38s %10s\n' \
  'bare' "$(milliseconds "$bare")" \
  'under breakpoints' "$(milliseconds "$watched")  $(ratio "$watched" "$bare") of bare" \
  '  so breakpoints add' "$(milliseconds $((watched - bare)))" \
  'the whole record command' "$(milliseconds "$whole")  $(ratio "$whole" "$bare") of bare"
