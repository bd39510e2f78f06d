"""Posts made-up rows of hosts to receivers over SQLite and ClickHouse; see fleet.sh."""

import http.client
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Tests/Fixtures/fleet"))
from formats import batch, row  # noqa: E402

daemon, address, *numbers = sys.argv[1:]
*servers, HOSTS, DAYS, YEAR = map(int, numbers)
cluster = address.split("?")[1]
FUNCTIONS, CALLED = 45_000, 8_100
# Hosts that send at the same time to each receiver.
TOGETHER = 100
rng = random.Random(1)
work = tempfile.mkdtemp(prefix="firstlight-fleet-")
tokens = os.path.join(work, "tokens")
token = subprocess.run(
    [daemon, "token", "add", "--role", "admin", "--name", "bench", "--file", tokens],
    check=True, capture_output=True, text=True,
).stdout.split()[-1]
ticks = os.sysconf("SC_CLK_TCK")
today = int(time.time()) // 86400
guards = sorted(rng.sample(range(FUNCTIONS), CALLED))
# Most functions are called in each run, the others in a share of them.
shares = [1.0 if rng.random() < 0.6 else rng.random() ** 2 for _ in guards]


def body(host, day, runs, version=1, build="a1" * 20):
    """What a host sends of a day, deflated."""
    called = [(guard, max(1, min(runs, round(runs * share * rng.uniform(0.9, 1.1)))) if share < 1 else runs)
              for guard, share in zip(guards, shares)]
    return zlib.compress(batch(
        [row(build, "server", FUNCTIONS, called, day=day, version=version, runs=runs, program_runs=runs,
             processes=runs, labels=("1.0", ""), starts=[(100, runs)])], ledger=f"host {host}"), 1)


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / ticks


class Receiver:
    running = []

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
        self.running.append(self)
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
        self.running.remove(self)


def post(receivers, posters, bodies):
    """Each poster has a connection of its own, and sends the next row once one is acknowledged.

    - Returns: milliseconds of processor time of receivers and of servers for a row, and rows a second."""
    left, lock, refused = iter(bodies), threading.Lock(), []

    def run(place):
        receiver = receivers[place % len(receivers)]
        connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=300)
        headers = {"Authorization": f"Bearer {token}", "Content-Encoding": "deflate",
                   "Content-Type": "application/vnd.firstlight.states"}
        while True:
            with lock:
                sent = next(left, None)
            if not sent:
                return
            connection.request("POST", "/v1/states", sent, headers)
            answer = connection.getresponse()
            if (content := answer.read()) and (answer.status != 200 or b'"added":1' not in content):
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
    # What servers merge in the background belongs to it.
    time.sleep(3)
    count = len(bodies)
    return ((sum(map(cpu, watched)) - before[0]) / count * 1e3, (sum(map(cpu, servers)) - before[1]) / count * 1e3,
            count / wall)


def line(name, figures):
    receivers, stores, rate = figures
    print(f"{name:52}{receivers:11.2f}{stores:9.2f}{receivers + stores:8.2f}{rate:9.0f}", flush=True)
    return receivers + stores


def timed(receiver, path):
    """Median of seconds, and the answer."""
    times = []
    for _ in range(5):
        begin = time.monotonic()
        answer = receiver.get(path)
        times.append(time.monotonic() - begin)
    return sorted(times)[2], answer


def close(server, days):
    """Closes days of one row each as the store does once they are old, which takes it days."""

    def ask(sql):
        url = f"http://{server}/?database=bench_questions"
        return urllib.request.urlopen(urllib.request.Request(url, sql.encode())).read().decode()

    texts = [time.strftime("%Y-%m-%d", time.gmtime(day * 86400)) for day in days]
    ask(f"INSERT INTO local_closed SELECT * FROM local_sums WHERE day IN ({','.join(map(repr, texts))})")
    end = time.strftime("%Y-%m-%d", time.gmtime((max(days) + 1) * 86400))
    ask(f"INSERT INTO days (open, summed) VALUES ('{end}', '{end}')")
    for text in ask("SELECT DISTINCT day FROM local_sums").split():
        if text in texts:
            ask(f"ALTER TABLE local_sums DROP PARTITION '{text}'")


def questions(name, store):
    receiver = Receiver(store)
    post([receiver], TOGETHER, [body(host, today - day, 1000) for host in range(HOSTS) for day in range(DAYS)])
    first = today - DAYS
    post([receiver], TOGETHER, [body("year", first - day, 1000, build="b2" * 20) for day in range(YEAR)])
    if name == "ClickHouse":
        for server in address.split("?")[0].removeprefix("http://").split("/")[0].split(","):
            close(server, [first - day for day in range(YEAR)])
    for what, path, goal in [
        (f"never-called list, {HOSTS * DAYS:,} rows", f"/v1/profile?build-id={'a1' * 20}", 1),
        (f"never-called list, {YEAR} {'closed days' if name == 'ClickHouse' else 'open rows of a host'}",
         f"/v1/profile?build-id={'b2' * 20}", 0.2),
        ("dashboard's first page", "/", 0.3),
        ("dashboard's page of the build", f"/builds/{'a1' * 20}", 1),
    ]:
        seconds, answer = timed(receiver, path)
        print(f"{name + ', ' + what:52}{seconds:11.2f} s (goal {goal}), {len(answer):,} bytes", flush=True)
    receiver.end()


def sqlite(name):
    return f"sqlite:{os.path.join(work, name)}.sqlite"


def clickhouse(name):
    return f"clickhouse:{address.split('?')[0]}/bench_{name}?{cluster}"


try:
    print(f"{'milliseconds of processor time for a row':52}{'receivers':>11}{'servers':>9}{'both':>8}{'rows/s':>9}")
    for runs in (10, 100_000):
        bodies = [body(host, today, runs) for host in range(HOSTS)]
        print(f"rows of {runs:,} runs: {sum(map(len, bodies)) // len(bodies):,} bytes each, deflated")
        for kind, store in (("SQLite", sqlite), ("ClickHouse", clickhouse)):
            receiver = Receiver(store(f"runs_{runs}"))
            line(f"{kind}, one receiver, {runs:,} runs", post([receiver], TOGETHER, bodies))
            receiver.end()
    for kind, store in (("SQLite", sqlite), ("ClickHouse", clickhouse)):
        receiver = Receiver(store("alone"))
        line(f"{kind}, rows that come alone", post([receiver], 1, bodies[:100]))
        receiver.end()
    bodies = [body(host, today, 1000) for host in range(HOSTS)]
    both = []
    for count in (1, 2):
        started = [Receiver(clickhouse(f"receivers_{count}")) for _ in range(count)]
        both.append(line(f"ClickHouse, receivers: {count}", post(started, TOGETHER * count, bodies)))
        for receiver in started:
            receiver.end()
    print(f"two receivers against one, for a row: {both[1] / both[0]:.2f} (goal: at most 1.05)")
    questions("SQLite", sqlite("questions"))
    questions("ClickHouse", clickhouse("questions"))
finally:
    for receiver in Receiver.running:
        receiver.process.kill()
    shutil.rmtree(work, ignore_errors=True)
