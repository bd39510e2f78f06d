#!/usr/bin/env bash
# Measures what attaching costs servers under load, and compares what it sees with gdb (Benchmarks/attach.py).
set -euo pipefail
exec python3 "$(dirname "$0")/attach.py"
