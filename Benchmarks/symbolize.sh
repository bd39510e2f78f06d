#!/usr/bin/env bash
# Compares `firstlight symbolize` with llvm-symbolizer: whole-process wall time for the same PCs on
# standard input, best of several runs taken in turn. Prints one line a mode:
#
#   mode  PCs  ours_s  peer_s  ratio
#
# Usage: Benchmarks/symbolize.sh BINARY [COUNT] [RUNS]
# Environment: FIRSTLIGHT (default .build/release/firstlight). The peer is the fastest of the
# llvm-symbolizers on PATH and /usr/bin.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:?usage: Benchmarks/symbolize.sh BINARY [COUNT] [RUNS]}
count=${2:-20000}
runs=${3:-7}
firstlight=${FIRSTLIGHT:-.build/release/firstlight}
[[ -x $firstlight ]] || {
  echo "symbolize.sh: $firstlight: not there; run swift build -c release first" >&2
  exit 66
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# PCs: in every function a place inside it, functions drawn by a fixed sequence.
nm -S --defined-only "$binary" | awk -v count="$count" '
  BEGIN { n = 0 }
  $3 ~ /^[tTwW]$/ { address[n] = $1; size[n] = $2; n++ }
  END {
    if (n == 0) exit 1
    seed = 42
    for (i = 0; i < count; i++) {
      seed = (seed * 1103515245 + 12345) % 2147483648; f = int(seed / 65536 * n / 32768) % n
      seed = (seed * 1103515245 + 12345) % 2147483648
      print address[f], size[f], int(seed / 65536)
    }
  }' | while read -r address size draw; do
  printf '0x%x\n' $((16#$address + draw % (16#$size > 0 ? 16#$size : 1)))
done >"$work/pcs"

seconds() { # seconds OUTPUT COMMAND...: wall time of one run
  local output=$1 start end
  shift
  start=$(date +%s%N)
  "$@" <"$work/pcs" >"$output"
  end=$(date +%s%N)
  awk -v ns=$((end - start)) 'BEGIN { printf "%.4f\n", ns / 1e9 }'
}
least() { sort -g "$1" | head -n 1; }

mapfile -t peers < <(type -aP llvm-symbolizer | sort -u)
[[ ${#peers[@]} -gt 0 ]] || {
  echo "symbolize.sh: no llvm-symbolizer on PATH" >&2
  exit 69
}

compare() { # compare MODE OUR_OPTIONS -- PEER_OPTIONS
  local mode=$1 ours=() theirs=() run peer best=
  shift
  while [[ $1 != -- ]]; do ours+=("$1") && shift; done
  shift
  theirs=("$@")
  rm -f "$work"/time.*
  for ((run = 0; run < runs; run++)); do
    seconds "$work/ours" "$firstlight" symbolize --binary "$binary" "${ours[@]}" >>"$work/time.ours"
    for peer in "${!peers[@]}"; do
      seconds "$work/peer" "${peers[peer]}" --obj="$binary" "${theirs[@]}" >>"$work/time.peer$peer"
    done
  done
  for peer in "$work"/time.peer*; do least "$peer"; done | sort -g | head -n 1 >"$work/best"
  best=$(cat "$work/best")
  awk -v mode="$mode" -v count="$(wc -l <"$work/pcs")" -v ours="$(least "$work/time.ours")" \
    -v peer="$best" \
    'BEGIN { printf "%-18s %6d  %.3f  %.3f  %.2f\n", mode, count, ours, peer, ours / peer }'
}

printf '%-18s %6s  %-5s  %-5s  %s\n' mode PCs ours peer ratio
compare lines -- --no-inlines
compare lines-mangled --mangled -- --no-inlines --no-demangle
compare inlines --inlines -- --inlines
compare inlines-mangled --inlines --mangled -- --inlines --no-demangle
