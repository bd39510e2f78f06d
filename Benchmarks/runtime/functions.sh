#!/usr/bin/env bash
# Prints C with so many functions that do nothing, and a table of them: functions.sh COUNT
set -euo pipefail
awk -v count="${1:?usage: functions.sh COUNT}" 'BEGIN {
  for (i = 0; i < count; i++) printf "void f%d(void) {}\n", i
  printf "void (*const all[])(void) = {\n"
  for (i = 0; i < count; i++) printf "f%d,\n", i
  printf "};\nconst long all_count = %d;\n", count
}'
