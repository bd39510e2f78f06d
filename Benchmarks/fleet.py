"""Posts made-up traces to receivers over SQLite and ClickHouse; see fleet.sh. Format: FleetBatch.swift."""

import datetime
import http.client
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from leb128 import leb, text

daemon, address, *numbers = sys.argv[1:]
*servers, BATCHES, SUMS, DAYS, LONG = map(int, numbers)
hosts, cluster = urllib.parse.urlsplit(address).netloc.split(","), address.split("?")[1]
TRACES, CALLS, FUNCTIONS = 100, 200, 5000
BUILDS = [("%02x" % n) * 20 for n in (0xA1, 0xB2, 0xC3)]
LABELS = ["region=ap", "region=eu", "region=sa", "region=us"]
rng = random.Random(1)
work = tempfile.mkdtemp(prefix="firstlight-fleet-")
tokens = os.path.join(work, "tokens")
token = subprocess.run(
    [daemon, "token", "add", "--role", "admin", "--name", "bench", "--file", tokens],
    check=True, capture_output=True, text=True,
).stdout.split()[-1]
ticks = os.sysconf("SC_CLK_TCK")
today = int(time.time()) // 86400


def rising(values):
    out, last = leb(len(values)), 0
    for value in values:
        out += leb(value - last)
        last = value
    return out


def trace():
    started = (today - rng.randrange(5)) * 86400 + 3600.0
    guards = sorted(rng.sample(range(FUNCTIONS), CALLS))
    out = struct.pack("<QQ", rng.getrandbits(64), rng.getrandbits(64))
    out += text("run %d" % rng.getrandbits(60)) + text("1-1-1") + text("")
    out += struct.pack("<Q", rng.getrandbits(64)) + text("%032x" % rng.getrandbits(128))
    out += text("1.0") + text(rng.choice(LABELS))
    out += struct.pack("<ddd", started, 60, rng.random()) + leb(1) + leb(0) * 4 + leb(1)
    out += text(rng.choice(BUILDS)) + leb(0) + text("server") + leb(7) + leb(FUNCTIONS)
    out += leb(1) + struct.pack("<d", started) + leb(0) + rising(guards)
    out += rising(guards) + b"".join(leb(0x4000 + guard) for guard in guards)
    # Hosts send no order once a sample is full.
    return out + leb(0) + leb(CALLS) + leb(0)


def join(traces):
    return b"FLB2" + leb(len(traces)) + b"".join(leb(len(t)) + t for t in traces)


def batch():
    return join([trace() for _ in range(TRACES)])


def renamed(count):
    """Batches of a few thousand traces, again and again under new ids, which a trace begins with."""
    known = [trace() for _ in range(4000)]
    for _ in range(count):
        yield join([rng.randbytes(16) + t[16:] for t in rng.sample(known, TRACES)])


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / ticks


class Receiver:
    def __init__(self, store):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = open(os.path.join(work, f"{self.port}.log"), "wb")
        environment = {**os.environ, "XDG_STATE_HOME": os.path.join(work, f"state-{self.port}")}
        self.process = subprocess.Popen(
            [daemon, "--listen", f"127.0.0.1:{self.port}", "--token-file", tokens, "--store", store],
            stdout=self.log, stderr=self.log, env=environment,
        )
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit("firstlightd ended:\n" + open(self.log.name).read()[-2000:])
            try:
                self.get("/v1/builds")
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("firstlightd does not answer")

    def get(self, path):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}")
        request.add_header("Authorization", f"Bearer {token}")
        return urllib.request.urlopen(request, timeout=300).read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def post(receivers, posters, batches):
    """Each poster has a connection of its own, and sends the next batch once one is acknowledged."""
    left, lock, refused, sent = iter(batches), threading.Lock(), [], []

    def run(place):
        receiver = receivers[place % len(receivers)]
        connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=300)
        headers = {
            "Authorization": f"Bearer {token}", "Content-Type": "application/vnd.firstlight.batch"
        }
        while True:
            with lock:
                body = next(left, None)
                if not body:
                    return
                sent.append(len(body))
            connection.request("POST", "/v1/traces", body, headers)
            answer = connection.getresponse()
            if (content := answer.read()) and answer.status != 200:
                refused.append(content)

    watched = [r.process.pid for r in receivers]
    before = [sum(map(cpu, watched)), sum(map(cpu, servers)), time.monotonic()]
    threads = [threading.Thread(target=run, args=(place,)) for place in range(posters)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if refused:
        sys.exit(f"refused: {refused[0]}")
    wall = time.monotonic() - before[2]
    used = [(sum(map(cpu, watched)) - before[0]) / wall, (sum(map(cpu, servers)) - before[1]) / wall]
    return len(sent) * TRACES / wall, used


def ask(sql, server=0, database="default"):
    url = f"http://{hosts[server]}/?database={database}&max_query_size=67108864"
    try:
        return urllib.request.urlopen(urllib.request.Request(url, sql.encode())).read().decode()
    except urllib.error.HTTPError as error:
        sys.exit(f"{sql[:300]}\n{error.read().decode()[:500]}")


def event(name):
    sql = f"SELECT sum(value) FROM system.events WHERE event = '{name}'"
    return sum(int(ask(sql, server) or 0) for server in range(len(hosts)))


COUNTED = """tag GLOBAL IN (SELECT tag FROM committed
  WHERE tag NOT IN (SELECT arrayJoin(replaces) FROM committed))"""


def counted(database):
    runs = f"SELECT arraySum(called.runs) AS r FROM sums WHERE {COUNTED} UNION ALL "
    runs += f"SELECT runs AS r FROM called WHERE {COUNTED}"
    return int(ask(f"SELECT sum(r) FROM ({runs})", database=database))


def row(name, rate, used, more=""):
    print(f"{name:48}{rate:9,.0f}{used[0]:11.2f}{used[1]:9.2f}  {more}", flush=True)


def sqlite(posters, batches):
    path = os.path.join(work, f"fleet-{posters}.sqlite")
    receiver = Receiver(f"sqlite:{path}")
    rate, used = post([receiver], posters, batches)
    receiver.end()
    connection = sqlite3.connect(path)
    runs = connection.execute("SELECT sum(runs) FROM coverage").fetchone()[0]
    if runs != len(batches) * TRACES * CALLS:
        sys.exit(f"SQLite counts {runs} first calls of {len(batches) * TRACES * CALLS}")
    row(f"SQLite, posters: {posters}", rate, used)
    return rate


def clickhouse(receivers, posters, batches):
    database = f"bench_{receivers}_{posters}"
    started = [Receiver(f"clickhouse:{address.split('?')[0]}/{database}?{cluster}")
               for _ in range(receivers)]
    inserted, opened = event("InsertedRows"), event("FileOpen")
    rate, used = post(started, posters, batches)
    calls = len(batches) * TRACES * CALLS
    rows = (event("InsertedRows") - inserted) / calls
    files = (event("FileOpen") - opened) / len(batches)
    attempts = int(ask("SELECT max(number) FROM committed", database=database))
    sums = int(ask("SELECT max(level) FROM committed", database=database))
    if counted(database) != calls:
        sys.exit(f"ClickHouse counts {counted(database)} first calls of {calls}")
    for receiver in started:
        receiver.end()
    row(f"ClickHouse, receivers: {receivers}, posters: {posters}", rate, used,
        f"{rows:.3f} rows a first call, {files:.0f} files a batch, {attempts} commits, level {sums}")
    return rate, rows, database


def disk(database):
    """Bytes on all servers: of ids that are remembered, and of everything."""
    sizes = [0, 0]
    for server in range(len(hosts)):
        where = f"database = '{database}' AND active"
        sizes[0] += int(ask(f"""SELECT sum(bytes_on_disk) FROM system.parts
          WHERE {where} AND table = 'known_trace_local'""", server) or 0)
        sizes[1] += int(ask(f"SELECT sum(bytes_on_disk) FROM system.parts WHERE {where}", server) or 0)
    return sizes


def memory(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024


def long_run():
    """LONG traces, in tenths, to one receiver by six posters."""
    database = "bench_long"
    receiver = Receiver(f"clickhouse:{address.split('?')[0]}/{database}?{cluster}")
    for part in range(1, 11):
        rate, used = post([receiver], 6, renamed(LONG // TRACES // 10))
        ids, everything = disk(database)
        row(f"{LONG * part // 10:,} traces, receivers: 1, posters: 6", rate, used,
            f"receiver at most {memory(receiver.process.pid):.0f} MiB, store {everything / 1e6:.0f} MB, "
            f"of it ids {ids / 1e6:.0f} MB")
    calls = LONG // TRACES // 10 * 10 * TRACES * CALLS
    if counted(database) != calls:
        sys.exit(f"ClickHouse counts {counted(database)} first calls of {calls}")
    receiver.end()
    return database


def fill(database):
    """One build of 45,000 functions over DAYS days and 4 labels, as if it had been summed up: a day
    calls as many of them as SUMS asks for, each day others."""
    functions, build, days = 45_000, "d4" * 20, DAYS
    daily = min(functions - 9, SUMS // (days * 4))
    number = int(ask("SELECT max(number) FROM committed", database=database) or 0)
    tag = (int(time.time() * 1e6)) << 12
    labels = "concat('region=', toString(number % 4))"
    for server in range(len(hosts)):
        half = f"WHERE intHash64(guard) % {len(hosts)} = {server}"
        ask(f"""INSERT INTO called_local SELECT * FROM (SELECT toUInt64({tag}),
          cityHash64('{build}', 'guards'), toInt32({today} - intDiv(number, {daily * 4}) AS day),
          cityHash64('1.0', {labels}),
          toUInt32((intDiv(number, 4) % {daily} + ({today} - day) * 7919) % {functions - 9}) AS guard,
          toUInt64(number % 9 + 1), toUInt64(1) AS hosts, 1.7e9 AS first_seen, 1.7e9 + 1 AS last_seen
          FROM system.numbers LIMIT {days * daily * 4}) {half}""",
            server, database)
    ask(f"""INSERT INTO sums_local (tag, build_id, recorder, day, version, labels, received, runs,
      hosts, program_runs, processes) SELECT {tag}, '{build}', 'guards', toInt32({today} - intDiv(number, 4)),
      '1.0', {labels}, {today}, 1000, 10, 1000, 1000 FROM system.numbers LIMIT {days * 4}""",
        0, database)
    ask(f"""INSERT INTO seen_build_local (tag, build_id, recorder, program, path, executable, guards,
      family) VALUES ({tag}, '{build}', 'guards', 'large', 'large', 1, {functions},
      18446744073709551615)""", 0, database)
    ask(f"""INSERT INTO function_local SELECT {tag}, '{build}', 'guards', toUInt32(number), 1, number * 64, 60,
      concat('function_', toString(number)), emptyArrayString(), concat('function ', toString(number)), 'M',
      1, '/src/large.c', toInt64(number), 0, 0 FROM system.numbers LIMIT {functions}""", 0, database)
    ask(f"""INSERT INTO function_table_local VALUES ({tag}, '{build}', 'guards', 'large', 'large', 1,
      {functions}, 'x86_64', 1, 1, {functions}, [], [], [])""", 0, database)
    ask(f"INSERT INTO whole_table_local VALUES ({tag}, '{build}', 'guards')", 0, database)
    ask(f"INSERT INTO committed VALUES ({number + 1}, {tag}, 5, [])", 0, database)


def timed(receiver, path):
    """Seconds of the first answer, and the median of those that follow."""
    times = []
    for _ in range(6):
        begin = time.monotonic()
        answer = receiver.get(path)
        times.append(time.monotonic() - begin)
    return times[0], sorted(times[1:])[2], answer


def questions(database):
    """Asks a receiver that just started, so that it cannot know an answer."""
    receiver = Receiver(f"clickhouse:{address.split('?')[0]}/{database}?{cluster}")
    build = "d4" * 20
    since = datetime.date.fromtimestamp((today - 30) * 86400).isoformat()
    asked = [
        ("never-called list", "/v1/dead?program=large", 1),
        ("never-called list of a label", "/v1/dead?program=large&label=region%3D1", 1),
        ("never-called list of 30 days", f"/v1/dead?program=large&since={since}", 1),
        ("order", "/v1/order?program=large", 1),
        ("dashboard's first page", "/", 0.3),
        ("dashboard's page of the build", f"/builds/{build}", 1),
        ("start-up times", "/v1/startups?program=large", 1),
    ]
    print(f"{f'questions of {SUMS / 1e6:.1f} million sums':48}{'first s':>9}{'again s':>11}{'goal':>9}")
    for name, path, goal in asked:
        first, again, answer = timed(receiver, path)
        print(f"{name:48}{first:9.2f}{again:11.2f}{goal:9.1f}  {len(answer):,} bytes", flush=True)
    receiver.end()


def rates():
    """- Returns: a database that has everything that was posted."""
    batches = [batch() for _ in range(BATCHES)]
    print(f"{'batches of 100 traces, 200 first calls each':48}{'traces/s':>9}{'receivers':>11}"
          f"{'servers':>9}  (processors used)")
    alone = sqlite(1, batches)
    sqlite(6, batches)
    clickhouse(1, 1, batches)
    one, rows, database = clickhouse(1, 6, batches)
    two, _, _ = clickhouse(2, 6, batches)
    print(f"ClickHouse, one receiver, six posters, against SQLite with one: {one / alone:.2f} (goal 1.0)")
    print(f"two receivers against one: {two / one:.2f} (goal 1.3)")
    print(f"rows inserted for a first call: {rows:.3f} (goal 0.05)")
    return database


try:
    database = rates() if BATCHES else "bench"
    if LONG:
        database = long_run()
    if SUMS:
        if not BATCHES and not LONG:
            Receiver(f"clickhouse:{address.split('?')[0]}/{database}?{cluster}").end()
        fill(database)
        questions(database)
finally:
    shutil.rmtree(work, ignore_errors=True)
