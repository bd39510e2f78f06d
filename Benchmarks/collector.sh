#!/usr/bin/env bash
# How fast one firstlightd takes in what finished processes left, and what it then holds:
# Benchmarks/collector.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight; firstlightd lies beside it),
# PROCESSES (default 10000), CALLS (default 5000 first calls each), GUARDS (default 10000), COUNTED
# (functions that the compiler counts, default 0).
#
# Prints processes a second, and a second of processor time, beside `cat segments > file`; the
# daemon's memory and the store's rows after each tenth. Goal: 5,000 a second and core.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
exec python3 "$(dirname "$0")/collector.py" "$(dirname "$firstlight")/firstlightd" \
  "${PROCESSES:-10000}" "${CALLS:-5000}" "${GUARDS:-10000}" "${COUNTED:-0}"
