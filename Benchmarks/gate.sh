#!/usr/bin/env bash
# How often a gate is right: Benchmarks/gate.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight), GATES (default 30), STEPS (default
# 3000000: about 10 ms of computing).
#
# Sets a program against itself, with a baseline and in turn, and against ones that compute 5%, 10%
# and 50% more, and prints how many gates said fine (0), too noisy to tell (125) and regression (1).
# Goal: of a program against itself never 1; 50% more is always found.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
gates=${GATES:-30}
steps=${STEPS:-3000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/p.c" <<'C'
__attribute__((constructor)) static void compute(void) {
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < STEPS; i++) sum += i * sum;
}
int main(void) { return 0; }
C
for more in 0 5 10 50; do
  clang -O1 -DSTEPS="$((steps + steps * more / 100))u" "$work/p.c" -o "$work/p$more"
done

# Prints how many of $gates gates ended with which code.
count() {
  local what=$1 codes=""
  shift
  for ((i = 0; i < gates; i++)); do
    local code=0
    "$firstlight" gate "$@" >"$work/said" || code=$?
    codes+="$code"$'\n'
  done
  printf '%-34s fine %2d  too noisy %2d  regression %2d\n' "$what" \
    "$(grep -cx 0 <<<"$codes" || true)" "$(grep -cx 125 <<<"$codes" || true)" \
    "$(grep -cx 1 <<<"$codes" || true)"
}

"$firstlight" gate --baseline "$work/start.json" --write-baseline -- "$work/p0"
count "itself, against a baseline" --baseline "$work/start.json" -- "$work/p0"
for more in 0 5 10 50; do
  count "$more% more, in turn" --against "$work/p0" -- "$work/p$more"
done
count "50% more, against a baseline" --baseline "$work/start.json" -- "$work/p50"
