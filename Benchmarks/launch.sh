#!/usr/bin/env bash
# How true `firstlight launch` is: Benchmarks/launch.sh [PROGRAM [ARG...]]
#
#   PROGRAM     a program that ends by itself, to see what its stages add up to
# Environment: FIRSTLIGHT (default .build/release/firstlight), RUNS (default 20).
#
# A program of two milliseconds that stamps its own first initializer, main and readiness, started alone;
# beside them the stages that launch gives of it, and what they add up to. Take a quiet machine.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
runs=${RUNS:-20}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

launch() { "$firstlight" launch --no-calls --runs "$runs" --format json -- "$@" >"$work/account.json"; }
clang -O2 "$here/launch/stamps.c" -o "$work/stamps"
read -r loading initializing main all < <("$work/stamps" alone "$runs")
launch "$work/stamps"
python3 - "$work/account.json" "$loading" "$initializing" "$main" "$all" <<'PYTHON'
import json, statistics, sys
account = json.load(open(sys.argv[1]))
told = [float(x) for x in sys.argv[2:]]
stage = {kind: statistics.median(s["duration"] for start in account["watched"]
                                 for s in start["record"]["stages"] if s["kind"] == kind) / 1000
         for kind in ("exec", "mapping", "relocating", "initializers", "main")}
rows = [("request to first initializer", stage["exec"] + stage["mapping"] + stage["relocating"], told[0]),
        ("initializers", stage["initializers"], told[1]), ("main to ready", stage["main"], told[2]),
        ("request to ready", sum(stage.values()), told[3])]
print(f"{'microseconds':30}{'by itself':>12}{'by launch':>12}")
for name, found, own in rows: print(f"{name:30}{own:12.0f}{found:12.0f}{found / own:9.1%}")
print(f"stages add up to {account['share']:.1%} of untraced starts")
PYTHON
if (($# > 0)); then
  launch "$@"
  python3 -c "import json, sys; a = json.load(open(sys.argv[1])); print(f\"{sys.argv[2]}: stages add up to {a['share']:.1%}\")" "$work/account.json" "$1"
fi
