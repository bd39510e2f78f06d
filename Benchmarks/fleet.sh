#!/usr/bin/env bash
# What a fleet's stores take in and answer, each against the others in one run: Benchmarks/fleet.sh
#
# Environment: FIRSTLIGHT (default .build/release/firstlight; firstlightd lies beside it), HOSTS
# (default 1000) that send, DAYS (default 3) of rows of each for the questions, YEAR (default 365) days of
# one row each.
#
# Starts firstlightd over SQLite, then over two shards of Debian's ClickHouse (Scripts/test-fleet
# --quick unpacks it), all on this machine, and posts the rows of hosts, 100 at a time to
# each receiver: of a build of 45,000 functions, of which 8,100 are called. Goals: a row takes 3 ms of CPU
# time of receiver and servers, whatever number of runs is behind it; with two receivers within 5% of one;
# a never-called list of 3,000 rows takes 1 s, of a year of closed days 0.2 s.
set -euo pipefail

firstlight=${FIRSTLIGHT:-.build/release/firstlight}
export FIRSTLIGHT_CLICKHOUSE_PORT=${FIRSTLIGHT_CLICKHOUSE_PORT:-28223}
cluster=.build-fleet/bench-cluster
trap 'Scripts/clickhouse-cluster $cluster stop; rm -rf $cluster' EXIT
rm -rf $cluster
Scripts/clickhouse-cluster $cluster start
python3 "$(dirname "$0")/fleet.py" "$(dirname "$firstlight")/firstlightd" \
  "$(Scripts/clickhouse-cluster $cluster address)" "$(cat $cluster/1/pid)" "$(cat $cluster/2/pid)" \
  "${HOSTS:-1000}" "${DAYS:-3}" "${YEAR:-365}"
