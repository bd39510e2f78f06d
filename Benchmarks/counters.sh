#!/usr/bin/env bash
# What the compiler's counters cost in production: see counters.py, which builds for half an hour.
set -euo pipefail
exec python3 "$(dirname "$0")/counters.py" "${FIRSTLIGHT_TEST_INPUTS:-.build-inputs}/counters"
