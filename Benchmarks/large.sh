#!/usr/bin/env bash
# What users wait for with a large program: Benchmarks/large.sh [PROGRAM [ARG...]]
#
#   PROGRAM     any program with symbols that ends by itself; by default the toolchain's clang checking
#               one line of C: 168,453 functions, of which some 4,300 run
# Environment: FIRSTLIGHT (default .build/release/firstlight), RUNS (default 7).
#
# Prints medians of whole processes: wall time, processor time, most memory. Names and text are the work
# here, so the peer is `llvm-nm --demangle` on the same binary, which makes all its names once.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
runs=${RUNS:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As Scripts/bench gives us the server, which never ends by itself: take clang.
if [[ ${1-} == */WebService ]]; then shift; fi
if (($# == 0)); then
  echo 'int twice(int x) { return 2 * x; }' >"$work/x.c"
  set -- "$(readlink -f "$(type -P clang)")" -fsyntax-only "$work/x.c"
fi
program=$(type -P "$1")
command -v llvm-nm >/dev/null || {
  echo "large.sh: llvm-nm is not there; it is in the Swift toolchain and in Debian's llvm" >&2
  exit 69
}

# Prints the milliseconds, those of the processor, and the MiB at most that a command took, in the median
# of as many runs as asked for: measure RUNS COMMAND...
measure() {
  python3 - "$@" <<'PYTHON'
import os, subprocess, sys, time
walls, cpus, peaks = [], [], []
for run in range(int(sys.argv[1]) + 1):
    start = time.monotonic()
    child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    if status:
        sys.exit(f"large.sh: {' '.join(sys.argv[2:])} failed")
    if run:  # the first warms up
        walls.append(wall * 1000)
        cpus.append((usage.ru_utime + usage.ru_stime) * 1000)
        peaks.append(usage.ru_maxrss / 1024)
middle = len(walls) // 2
print(f"{sorted(walls)[middle]:7.0f} ms {sorted(cpus)[middle]:7.0f} ms {sorted(peaks)[middle]:6.0f} MiB")
PYTHON
}

profile=$work/p.flp
"$firstlight" record --no-rebuild -o "$profile" -- "$@" >"$work/output" 2>"$work/errors"
printf '%s, %s runs, medians:\n' "$(basename "$1")" "$runs"
sed -n 's/.*recorded \(.*\), to .*/  \1/p' "$work/errors"
printf '%-36s %10s %10s %10s\n' '' wall processor memory
row() {
  local name=$1
  shift
  printf '%-36s %s\n' "$name" "$(measure "$runs" "$@")"
}
row 'the program itself' "$@"
row 'record --no-rebuild' "$firstlight" record --no-rebuild -o "$work/again.flp" -- "$@"
row 'order' "$firstlight" order "$profile"
row 'info' "$firstlight" info "$profile"
row 'dead' "$firstlight" dead "$profile"
row 'dead --format json' "$firstlight" dead "$profile" --format json
row 'llvm-nm --demangle' llvm-nm --demangle "$program"
