"""Measures layouts of a fleet's sums in ClickHouse with raw SQL; see Documentation/ClickHouseStorage.md.

python3 Benchmarks/clickhouse_designs.py URL PID [SUMS]

URL is a server's HTTP address and PID its process, whose processor time is read. The work is that
of `Scripts/bench fleet`: attempts of 100 traces with 200 first calls each, over 3 builds x 5 days x
4 label sets, of 5,000 functions a build. SUMS (default 21,000,000) is how many sums of one build the
questions are asked of; 0 leaves them out.
"""

import os
import random
import struct
import sys
import time
import urllib.parse
import urllib.error
import urllib.request

from leb128 import leb, text

url, pid = sys.argv[1].rstrip("/"), int(sys.argv[2])
SUMS = int(sys.argv[3]) if len(sys.argv) > 3 else 21_000_000
ATTEMPTS, TRACES, CALLS, FUNCTIONS = 16, 100, 200, 5000
BUILDS = [("%02x" % n) * 20 for n in (0xA1, 0xB2, 0xC3)]
LABELS = ["region=ap", "region=eu", "region=sa", "region=us"]
DAYS = range(20_000, 20_005)
BLOCK, DENSE = 8192, 1024
DATABASE = "designs"
ticks = os.sysconf("SC_CLK_TCK")
rng = random.Random(1)


def send(sql, data=None, database=DATABASE):
    target = f"{url}/?database={database}&max_query_size=67108864"
    target += "&max_bytes_before_external_group_by=1000000000"
    body = sql.encode() if data is None else data
    if data is not None:
        target += "&query=" + urllib.parse.quote(sql)
    try:
        return urllib.request.urlopen(urllib.request.Request(target, body)).read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{sql[:300]}\n{error.read().decode()[:600]}")


def number(sql):
    text = send(sql).split()
    return int(text[0]) if text else 0


def cpu():
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / ticks


def opened():
    return number("SELECT sum(value) FROM system.events WHERE event = 'FileOpen'")


def array(code, values):
    return leb(len(values)) + struct.pack(f"<{len(values)}{code}", *values)


def series():
    return [(b, d, l) for b in BUILDS for d in DAYS for l in LABELS]


def batch():
    """Series -> guard -> runs."""
    sums = {}
    for _ in range(TRACES):
        sums_of = sums.setdefault(rng.choice(series()), {})
        for guard in rng.sample(range(FUNCTIONS), CALLS):
            sums_of[guard] = sums_of.get(guard, 0) + 1
    return sums


COLUMNS = "tag UInt64, build_id String, recorder String, day Int32, version String, labels String"
KEYS = "build_id, recorder, day, version, labels"
NESTED = "guard UInt32, runs UInt64, hosts UInt64, first_seen Float64, last_seen Float64"
VALUES = "sum(runs), sum(hosts), min(first_seen), max(last_seen)"
SEEN = 1.7e9


def head(tag, key):
    return (
        struct.pack("<Q", tag) + text(key[0]) + text("guards") + struct.pack("<i", key[1])
        + text("1.0") + text(key[2])
    )


class Rows:
    """The layout of 0.2.0: a row of strings for each function and series."""

    name = "rows of strings"
    create = [
        f"CREATE TABLE t ({COLUMNS}, guard UInt32, runs UInt64, hosts UInt64, first_seen Float64,"
        f" last_seen Float64) ENGINE = MergeTree PARTITION BY tag ORDER BY ({KEYS}, guard)"
    ]
    insert = "INSERT INTO t FORMAT RowBinary"
    compact = f"INSERT INTO t SELECT %d, {KEYS}, guard, {VALUES} FROM t WHERE %s GROUP BY {KEYS}, guard"
    question = f"SELECT guard, {VALUES} FROM t WHERE build_id = '%s' AND %s GROUP BY guard"
    fill = (
        "INSERT INTO t SELECT 999, '%s', 'guards', toInt32(20000 + intDiv(number, %d) %% 125), '1.0',"
        " concat('region=', toString(intDiv(number, %d * 125))), toUInt32(number %% %d),"
        " number %% 9 + 1, 1, 1.7e9, 1.7e9 FROM numbers(%d)"
    )

    def rows(self, tag, sums):
        out = []
        for key, guards in sums.items():
            first = head(tag, key)
            for guard, runs in guards.items():
                out.append(first + struct.pack("<IQQdd", guard, runs, 1, SEEN, SEEN))
        return len(out), b"".join(out)

    def filling(self, build, functions, count):
        return self.fill % (build, functions, functions, functions, count)


class Coded(Rows):
    """A row of numbers for each function and series: 64 bits stand for the series."""

    name = "64-bit keys"
    create = [
        "CREATE TABLE t (tag UInt64, build UInt64, series UInt64, guard UInt32, runs UInt64,"
        " hosts UInt64, first_seen Float64, last_seen Float64)"
        " ENGINE = MergeTree PARTITION BY tag ORDER BY (build, guard, series)"
    ]
    compact = (
        f"INSERT INTO t SELECT %d, any(build), series, guard, {VALUES} FROM t WHERE %s"
        " GROUP BY series, guard"
    )
    question = (
        f"SELECT guard, {VALUES} FROM t WHERE build = cityHash64('%s') AND %s GROUP BY guard"
    )
    fill = (
        "INSERT INTO t SELECT 999, cityHash64('%s'), intDiv(number, %d), toUInt32(number %% %d),"
        " number %% 9 + 1, 1, 1.7e9, 1.7e9 FROM numbers(%d)"
    )
    hashes = {}

    def rows(self, tag, sums):
        out = []
        for key, guards in sums.items():
            if key[0] not in self.hashes:
                self.hashes[key[0]] = number(f"SELECT cityHash64('{key[0]}')")
            first = struct.pack("<QQQ", tag, self.hashes[key[0]], hash(key) & (1 << 64) - 1)
            for guard, runs in guards.items():
                out.append(first + struct.pack("<IQQdd", guard, runs, 1, SEEN, SEEN))
        return len(out), b"".join(out)

    def filling(self, build, functions, count):
        return self.fill % (build, functions, functions, count)


class Arrays(Rows):
    """A row for each series and 8,192 functions; sums are regrouped function by function."""

    name = "arrays, regrouped"
    create = [
        f"CREATE TABLE t ({COLUMNS}, block UInt32, called Nested({NESTED}))"
        f" ENGINE = MergeTree PARTITION BY tag ORDER BY ({KEYS}, block)"
        " SETTINGS index_granularity = 16"
    ]
    explode = (
        "called.guard AS g, sum(called.runs) AS r, sum(called.hosts) AS h,"
        " min(called.first_seen) AS f, max(called.last_seen) AS l"
    )
    compact = (
        f"INSERT INTO t SELECT %d, {KEYS}, block, groupArray(g), groupArray(r), groupArray(h),"
        f" groupArray(f), groupArray(l) FROM (SELECT {KEYS}, block, {explode}"
        f" FROM t ARRAY JOIN called WHERE %s GROUP BY {KEYS}, block, g ORDER BY {KEYS}, block, g)"
        f" GROUP BY {KEYS}, block"
    )
    question = (
        f"SELECT {explode} FROM t ARRAY JOIN called WHERE build_id = '%s' AND %s GROUP BY g"
    )
    fill = (
        "INSERT INTO t SELECT 999, '%s', 'guards', toInt32(20000 + intDiv(number, %d) %% 125), '1.0',"
        " concat('region=', toString(intDiv(number, %d * 125))), toUInt32(number %% %d),"
        " arrayMap(x -> toUInt32(x + (number %% %d) * 8192), range(toUInt64(%d))),"
        " arrayMap(x -> toUInt64(x %% 9 + 1), range(toUInt64(%d))),"
        " arrayMap(x -> toUInt64(1), range(toUInt64(%d))),"
        " arrayMap(x -> 1.7e9, range(toUInt64(%d))), arrayMap(x -> 1.7e9, range(toUInt64(%d)))"
        " FROM numbers(%d)"
    )

    def rows(self, tag, sums):
        out = []
        for key, guards in sums.items():
            blocks = {}
            for guard in sorted(guards):
                blocks.setdefault(guard // BLOCK, []).append(guard)
            for block, called in blocks.items():
                ones = [1] * len(called)
                out.append(
                    head(tag, key) + struct.pack("<I", block) + array("I", called)
                    + array("Q", [guards[g] for g in called]) + array("Q", ones)
                    + array("d", [SEEN] * len(called)) * 2
                )
        return len(out), b"".join(out)

    def filling(self, build, functions, count):
        blocks = (functions + BLOCK - 1) // BLOCK
        size = functions // blocks
        return self.fill % (
            build, blocks, blocks, blocks, blocks, size, size, size, size, size,
            count // size,
        )


class Summing(Arrays):
    """The same arrays in a SummingMergeTree, whose nested ...Map it adds up: sums only."""

    name = "SummingMergeTree, sumMap"
    create = [
        f"CREATE TABLE t ({COLUMNS}, block UInt32,"
        " calledMap Nested(guard UInt32, runs UInt64, hosts UInt64))"
        f" ENGINE = SummingMergeTree PARTITION BY tag ORDER BY ({KEYS}, block)"
        " SETTINGS index_granularity = 16"
    ]
    summed = "sumMap(calledMap.guard, calledMap.runs, calledMap.hosts) AS m"
    compact = (
        f"INSERT INTO t SELECT %d, {KEYS}, block, m.1, m.2, m.3 FROM (SELECT {KEYS}, block, {summed}"
        f" FROM t WHERE %s GROUP BY {KEYS}, block)"
    )
    question = f"SELECT {summed} FROM t WHERE build_id = '%s' AND %s"
    fill = Arrays.fill.replace(
        " arrayMap(x -> toUInt64(1), range(toUInt64(%d))),"
        " arrayMap(x -> 1.7e9, range(toUInt64(%d))), arrayMap(x -> 1.7e9, range(toUInt64(%d)))",
        " arrayMap(x -> toUInt64(1), range(toUInt64(%d)))")

    def rows(self, tag, sums):
        out = []
        for key, guards in sums.items():
            called = sorted(guards)
            out.append(
                head(tag, key) + struct.pack("<I", 0) + array("I", called)
                + array("Q", [guards[g] for g in called]) + array("Q", [1] * len(called))
            )
        return len(out), b"".join(out)

    def filling(self, build, functions, count):
        blocks = (functions + BLOCK - 1) // BLOCK
        size = functions // blocks
        return self.fill % (build, blocks, blocks, blocks, blocks, size, size, size, count // size)


class Dense(Arrays):
    """A row for each series and 1,024 functions, called or not; arrays are added place by place."""

    name = "dense arrays, ForEach"
    create = [
        f"CREATE TABLE t ({COLUMNS}, block UInt32, runs Array(UInt64), hosts Array(UInt64),"
        " first_seen Array(Float64), last_seen Array(Float64))"
        f" ENGINE = MergeTree PARTITION BY tag ORDER BY ({KEYS}, block)"
        " SETTINGS index_granularity = 128"
    ]
    summed = (
        "sumForEach(runs), sumForEach(hosts), minForEach(first_seen), maxForEach(last_seen)"
    )
    compact = (
        f"INSERT INTO t SELECT %d, {KEYS}, block, {summed} FROM t WHERE %s GROUP BY {KEYS}, block"
    )
    question = f"SELECT block, {summed} FROM t WHERE build_id = '%s' AND %s GROUP BY block"
    fill = (
        "INSERT INTO t SELECT 999, '%s', 'guards', toInt32(20000 + intDiv(number, %d) %% 125), '1.0',"
        " concat('region=', toString(intDiv(number, %d * 125))), toUInt32(number %% %d),"
        " arrayMap(x -> toUInt64(x %% 9 + 1), range(toUInt64(1024))),"
        " arrayMap(x -> toUInt64(1), range(toUInt64(1024))),"
        " arrayMap(x -> 1.7e9, range(toUInt64(1024))), arrayMap(x -> 1.7e9, range(toUInt64(1024)))"
        " FROM numbers(%d)"
    )

    def rows(self, tag, sums):
        out = []
        for key, guards in sums.items():
            for block in range((FUNCTIONS + DENSE - 1) // DENSE):
                runs = [guards.get(block * DENSE + place, 0) for place in range(DENSE)]
                if not any(runs):
                    continue
                out.append(
                    head(tag, key) + struct.pack("<I", block) + array("Q", runs)
                    + array("Q", [1 if r else 0 for r in runs])
                    + array("d", [SEEN if r else 1e300 for r in runs])
                    + array("d", [SEEN if r else 0 for r in runs])
                )
        return len(out), b"".join(out)

    def filling(self, build, functions, count):
        blocks = functions // DENSE
        return self.fill % (build, blocks, blocks, blocks, count // DENSE)


def measured(work):
    before, files, begin = cpu(), opened(), time.monotonic()
    work()
    wall = (time.monotonic() - begin) * 1000
    return wall, cpu() - before, opened() - files


def size(condition):
    return number(
        f"SELECT sum(bytes_on_disk) FROM system.parts WHERE database = '{DATABASE}' AND table = 't'"
        f" AND active AND {condition}"
    )


print(f"ClickHouse {send('SELECT version()', database='default').decode().strip()};"
      f" an attempt: {TRACES} traces, {CALLS} first calls each; wall and processor time in ms")
print(f"{'':26}{'one insert':^34}{'sum of 16 attempts':^25}{'question':^24}", end="")
print(f"{'question, %.0f M sums' % (SUMS / 1e6):^28}")
print(f"{'layout':26}{'rows':>8}{'wall':>7}{'CPU':>7}{'files':>7}{'KB':>5}{'wall':>9}{'CPU':>7}{'KB':>9}"
      f"{'wall':>9}{'CPU':>7}{'wall':>14}{'CPU':>7}{'MB':>7}")
batches = [batch() for _ in range(ATTEMPTS)]
for layout in (Rows(), Summing(), Coded(), Arrays(), Dense()):
    send(f"DROP DATABASE IF EXISTS {DATABASE}", database="default")
    send(f"CREATE DATABASE {DATABASE}", database="default")
    for statement in layout.create:
        send(statement)
    made = [layout.rows(tag + 1, sums) for tag, sums in enumerate(batches)]

    def insert():
        for _, data in made:
            send(layout.insert, data)

    wall, used, files = measured(insert)
    print(f"{layout.name:26}{made[0][0]:8,d}{wall / ATTEMPTS:7.1f}{used / ATTEMPTS:7.1f}"
          f"{files / ATTEMPTS:7.0f}{size('1') / ATTEMPTS / 1e3:5.0f}", end="", flush=True)
    tags = "tag IN (%s)" % ",".join(str(n + 1) for n in range(ATTEMPTS))
    wall, used, _ = measured(lambda: send(layout.compact % (100, tags)))
    stored = size("partition = '100'") / 1e3
    print(f"{wall:9.0f}{used:7.0f}{stored:9.0f}", end="", flush=True)
    wall, used, _ = measured(lambda: send(layout.question % (BUILDS[0], tags)))
    print(f"{wall:9.0f}{used:7.0f}", end="", flush=True)
    if SUMS:
        send(layout.filling(BUILDS[0], 45_000, SUMS))
        times = [measured(lambda: send(layout.question % (BUILDS[0], "tag = 999"))) for _ in range(3)]
        wall, used, _ = sorted(times)[1]
        print(f"{wall:14.0f}{used:7.0f}{size(chr(39).join(('partition = ', '999', ''))) / 1e6:7.0f}",
              end="", flush=True)
    print()
send(f"DROP DATABASE {DATABASE}", database="default")
