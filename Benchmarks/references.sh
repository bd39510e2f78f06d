#!/usr/bin/env bash
# What `dead --index` adds to `dead`: whole-process wall and CPU time on firstlight's own debug build,
# whose index swift build wrote; medians of several runs in turn. Prints:
#
#   functions  records  dead_s  with_index_s  adds_s  adds_cpu_s
#
# Usage: Benchmarks/references.sh [IGNORED [RUNS]]
# Environment: FIRSTLIGHT (default .build/release/firstlight). Builds .build/debug if it is not there.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${2:-7}
firstlight=${FIRSTLIGHT:-.build/release/firstlight}
[[ -x $firstlight ]] || {
  echo "references.sh: $firstlight: not there; run swift build -c release first" >&2
  exit 66
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
swift build --product firstlight >"$work/build.log"
program=$(swift build --show-bin-path)/firstlight

"$firstlight" record --no-rebuild -o "$work/own.flp" -- "$program" --help >/dev/null 2>&1
functions=$("$firstlight" dead "$work/own.flp" --format csv 2>/dev/null | wc -l)
records=$(find "$(dirname "$program")/index/store" -path '*/records/*' -type f | wc -l)
for ((run = 0; run < runs; run++)); do
  for index in '' auto; do
    /usr/bin/time -f '%e %U %S' -o "$work/time" \
      "$firstlight" dead "$work/own.flp" ${index:+--index "$index"} -o "$work/list.txt" 2>/dev/null
    cat "$work/time" >>"$work/times-$index"
  done
done
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
wall() { awk '{ print $1 }' "$1" | median; }
cpu() { awk '{ print $2 + $3 }' "$1" | median; }
awk -v functions="$functions" -v records="$records" -v plain="$(wall "$work/times-")" \
  -v index_="$(wall "$work/times-auto")" -v plain_cpu="$(cpu "$work/times-")" \
  -v index_cpu="$(cpu "$work/times-auto")" 'BEGIN {
    print "functions\trecords\tdead_s\twith_index_s\tadds_s\tadds_cpu_s"
    printf "%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", functions, records, plain, index_,
      index_ - plain, index_cpu - plain_cpu
  }'
