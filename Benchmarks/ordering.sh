#!/usr/bin/env bash
# Balanced orders against those of llvm-profdata, on made-up traces: Benchmarks/ordering.sh [-l] [SEED...]
#
#   -l      100,000 functions and 1,000 traces instead of 10,000 and 100; takes minutes
#   SEED    numbers to make traces from; default 1 to 8
#
# Prints, for each seed, areas under the page-touch curve of held-out traces as ratios to that of
# llvm-profdata's order, distinct pages likewise, and times. Ours is the time of the partitioning alone;
# llvm-profdata's is that of the whole process, which reads a text profile first.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Scripts/common.bash
source Scripts/common.bash
use_toolchain

size=(10000 100)
if [[ ${1:-} == -l ]]; then
  size=(100000 1000)
  shift
fi
# Scripts/bench passes the server that other benchmarks measure.
[[ ${1:-} =~ ^[0-9]+$ ]] || shift $#
(($#)) || set -- 1 2 3 4 5 6 7 8
swift build -c release --product OrderingBenchmark >/dev/null
"$(swift build -c release --show-bin-path)/OrderingBenchmark" "${size[@]}" "$@"
