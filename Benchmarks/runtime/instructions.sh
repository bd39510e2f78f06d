#!/usr/bin/env bash
# Counts the hook's instructions under callgrind and holds them against instructions.txt:
# Benchmarks/runtime/instructions.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight). Exit status 0: within; 1: one is above;
# 69: no valgrind here. Counts are repeatable, unlike times: the differences of two runs' totals.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
firstlight=${FIRSTLIGHT:-.build/release/firstlight}
type -P valgrind >/dev/null || {
  echo "instructions.sh: no valgrind; install Debian's package valgrind" >&2
  exit 69
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra flags < <("$firstlight" flags clang)
"$here/functions.sh" 2001 >"$work/functions.c"
clang -O1 "${flags[@]}" -c "$work/functions.c" -o "$work/functions.o"
clang -O1 -c "$here/hook_calls.c" -o "$work/hook_calls.o"
# Stripped: valgrind does not read the runtime's debug information.
clang -Wl,--strip-debug "$work/hook_calls.o" "$work/functions.o" "${flags[@]}" -o "$work/program"
clang -O1 -c "$work/functions.c" -o "$work/plain.o"
clang "$work/hook_calls.o" "$work/plain.o" -o "$work/plain"

# Prints the instructions of a whole run: PROGRAM FIRST LATER
total() {
  rm -rf "$work/spool"
  mkdir "$work/spool"
  FIRSTLIGHT_DIR=$work/spool valgrind --tool=callgrind --callgrind-out-file="$work/out" "$@" \
    >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
  [[ $1 == */plain ]] || compgen -G "$work/spool/*.segment" >/dev/null || {
    echo "instructions.sh: nothing was recorded under valgrind" >&2
    exit 1
  }
  sed -n 's/^summary: //p' "$work/out"
}

# Instructions that the hook adds to each call, loop and call of the function itself taken off.
each() { awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { printf "%.2f", ((a - b) - (c - d)) / 2000 }'; }

base=$(total "$work/program" 0 0)
plain=$(total "$work/plain" 0 0)
declare -A counted
counted[first-call]=$(each "$(total "$work/program" 2000 0)" "$base" "$(total "$work/plain" 2000 0)" "$plain")
counted[later-call]=$(each "$(total "$work/program" 0 2000)" "$base" "$(total "$work/plain" 0 2000)" "$plain")

status=0
while read -r what limit; do
  [[ $what == '#'* ]] && continue
  verdict=ok
  if awk -v a="${counted[$what]}" -v b="$limit" 'BEGIN { exit !(a > b) }'; then
    verdict='above the threshold'
    status=1
  fi
  printf '  %-12s %8s instructions, at most %s: %s\n' "$what" "${counted[$what]}" "$limit" "$verdict"
done <"$here/instructions.txt"
exit "$status"
