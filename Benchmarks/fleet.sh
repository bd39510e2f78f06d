#!/usr/bin/env bash
# What a fleet's stores take in and answer, each against the others in one run: Benchmarks/fleet.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight; firstlightd lies beside it), BATCHES
# (default 120; 0 leaves the rates out), SUMS (default 22500000; 0 leaves the questions out), DAYS
# (default 125) that they are spread over, LONG (default 0), traces that one receiver is sent after the
# rates were taken, a million say.
#
# Starts firstlightd over SQLite, then over two shards of Debian's ClickHouse (Scripts/test-fleet
# --quick unpacks it), all on this machine, and posts batches of 100 traces with 200 first calls each,
# over 3 builds x 5 days x 4 label sets. Goals: ClickHouse with six posters as fast as SQLite with
# one, two receivers 1.3 times as fast as one, 0.05 rows inserted for a first call; a never-called
# list or an order of SUMS sums in 1 s, the dashboard's first page in 0.3 s.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
export FIRSTLIGHT_CLICKHOUSE_PORT=${FIRSTLIGHT_CLICKHOUSE_PORT:-28223}
cluster=.build-fleet/bench-cluster
trap 'Scripts/clickhouse-cluster $cluster stop; rm -rf $cluster' EXIT
rm -rf $cluster
Scripts/clickhouse-cluster $cluster start
python3 "$(dirname "$0")/fleet.py" "$(dirname "$firstlight")/firstlightd" \
  "$(Scripts/clickhouse-cluster $cluster address)" "$(cat $cluster/1/pid)" "$(cat $cluster/2/pid)" \
  "${BATCHES:-120}" "${SUMS:-22500000}" "${DAYS:-125}" "${LONG:-0}"
