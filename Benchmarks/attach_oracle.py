#!/usr/bin/env python3
"""Compares the functions that recorders see in plain programs, and their order, with those that gdb sees.

attach_oracle.py [PROGRAM...]: of redis, nginx and bash, by default all that are installed. Each is
started and driven in the same way under gdb, with a temporary breakpoint on each function, and under
`record --attach` by both engines. What a server does now and then comes at any place in its order, so that
only the longest common part is shown. Then a short start of each under `record --no-rebuild`. Environment: FIRSTLIGHT (default .build/release/firstlight).
"""

import bisect
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

FIRSTLIGHT = os.environ.get("FIRSTLIGHT", ".build/release/firstlight")
# Some functions run only every few seconds.
SECONDS = 6.5
# Work that is done between requests gets its turn, however fast they are.
PAUSE = 0.25

GDB = """
import gdb
base, ready = {base}, {ready!r}
last = []
gdb.events.stop.connect(lambda event: last.append(event))
for address in {addresses}:
    gdb.Breakpoint("*%d" % (base + address), internal=True, temporary=True)
hits = []
open(ready, "w").write("go")
while True:
    gdb.execute("continue", to_string=True)
    if not isinstance(last[-1], gdb.BreakpointEvent):
        break
    hits.append(gdb.newest_frame().pc() - base)
open(ready + ".hits", "w").write(" ".join(map(str, hits)))
gdb.execute("detach")
"""

GDB_START = """
import gdb
gdb.execute("starti", to_string=True)
with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
    base = min(int(line.split("-")[0], 16) for line in maps if {program!r} in line)
for address in {addresses}:
    gdb.Breakpoint("*%d" % (base + address), internal=True, temporary=True)
hits = []
while True:
    gdb.execute("continue", to_string=True)
    if gdb.selected_inferior().pid == 0:
        break
    hits.append(gdb.newest_frame().pc() - base)
open({hits!r}, "w").write(" ".join(map(str, hits)))
"""


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("attach_oracle: waited in vain")
        time.sleep(0.02)


def copy(program, folder):
    """A file of its own: the kernel's probes watch all processes of a file."""
    return shutil.copy(shutil.which(program), folder + "/" + program)


class Redis:
    program = "redis-server"

    @staticmethod
    def start(folder):
        return ["--version"]

    orders = """SET a 1|GET a|INCR a|APPEND a 2|LPUSH l x y z|LRANGE l 0 -1|SADD s 1 2 q|SMEMBERS s
    ZADD z 1 a 2 b|ZRANGE z 0 -1|HSET h f v|HGETALL h|EXPIRE a 100|TTL a|EVAL return(1) 0|INFO
    DEL l s|TYPE z|OBJECT ENCODING z|XADD x * f v|XLEN x|GEOADD g 1 1 p|PFADD p a b|NOSUCH"""

    def __init__(self, folder):
        self.path = folder + "/socket"
        self.process = subprocess.Popen(
            [copy("redis-server", folder), "--port", "0", "--unixsocket", self.path, "--save", "", "--slowlog-log-slower-than", "-1"],
            stdout=subprocess.DEVNULL, cwd=folder)
        wait_for(lambda: self.ask("PING") == 0)
        self.pid = self.process.pid
        # A client that stays, for what the server does now and then with its clients.
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(self.path)

    def ask(self, order):
        words = order.split(" ")
        return subprocess.run(
            ["redis-cli", "-e", "-s", self.path, *words], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode

    def drive(self):
        for order in self.orders.replace("\n", "|").split("|"):
            self.ask(order.strip())
            time.sleep(PAUSE)


class Nginx:
    program = "nginx"

    @staticmethod
    def start(folder):
        Nginx.configure(folder)
        return ["-t", "-c", folder + "/conf", "-e", folder + "/error.log"]

    @staticmethod
    def configure(folder):
        os.makedirs(folder + "/www")
        with open(folder + "/www/index.html", "w") as file:
            file.write("hello\n" * 1000)
        with open(folder + "/conf", "w") as file:
            file.write(f"""daemon off; worker_processes 1; pid {folder}/pid;
error_log {folder}/error.log; events {{}}
http {{ access_log {folder}/access.log; gzip on; server {{ listen unix:{folder}/socket;
root {folder}/www; location /moved {{ return 301 /; }} }} }}""")
        os.chmod(folder, 0o755)

    def __init__(self, folder):
        self.configure(folder)
        self.folder = folder
        self.process = subprocess.Popen(
            [copy("nginx", folder), "-c", folder + "/conf", "-e", folder + "/error.log"])
        wait_for(lambda: self.get("/") == 0)
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            self.pid = int(file.read().split()[0])

    def get(self, path, *options):
        return subprocess.run(
            ["curl", "-sf", "-o", "/dev/null", "--unix-socket", self.folder + "/socket",
             *options, "http://x" + path]).returncode

    def drive(self):
        for order in [["/"], ["/none"], ["/", "-I"], ["/", "--compressed"], ["/moved"],
                      ["/", "-r", "5-9"], ["/", "-d", "x=1"], ["/", "-H", "If-None-Match: x"]]:
            self.get(*order)
            time.sleep(PAUSE)


class Bash:
    program = "bash"
    orders = ["x=1", "y=$((x + 2))", "for i in 1 2 3; do z+=$i; done", "[[ abc == a* ]]", "f() { local a=$1; }",
              "f 2", "case $z in 1*) x=2;; esac", "a=(1 2 3)", "printf -v q %05d 3", "[[ x =~ (y|x) ]]",
              "declare -A m=([k]=v)", 'z="${z//1/2}"', "read -r line <<<word", "trap : USR1", "set -u"]

    @staticmethod
    def start(folder):
        # gdb quotes arguments for a shell.
        with open(folder + "/script", "w") as file:
            file.write("\n".join(Bash.orders))
        return [folder + "/script"]

    def __init__(self, folder):
        self.done = folder + "/done"
        self.process = subprocess.Popen(
            [copy("bash", folder), "-c", f'echo >{self.done}; while read -r order; do eval "$order"; echo "$order" >>{self.done}; done'],
            stdin=subprocess.PIPE, text=True)
        wait_for(lambda: os.path.exists(self.done))
        self.pid = self.process.pid

    def drive(self):
        self.process.stdin.write("\n".join(self.orders) + "\n")
        self.process.stdin.flush()
        wait_for(lambda: len(open(self.done).readlines()) > len(self.orders))


def numbers(bytes):
    """Unsigned LEB128."""
    number = shift = 0
    for byte in bytes:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def profile(path, pid):
    """Addresses of all functions of the program, without its libraries, and of the called ones in their order."""
    database = sqlite3.connect(path)
    functions = {
        (build, index): address for build, index, address in database.execute(
            "SELECT build, guard, address FROM guarded JOIN build ON build = build.id WHERE kind = 'executable'")}
    called = set(database.execute("SELECT build, guard FROM coverage"))
    order = []
    for trace, count in database.execute("SELECT trace, calls FROM process ORDER BY pid <> ?", (pid,)):
        trace = numbers(trace)
        for _ in range(next(trace)):
            next(trace)
        index = 0
        for _ in range(count):
            build, step, _, _ = (next(trace) for _ in range(4))
            index += step >> 1 ^ -(step & 1)
            if functions.get((build, index)) not in (None, *order):
                order.append(functions[build, index])
    if set(order) != {functions[key] for key in called if key in functions}:
        sys.exit("attach_oracle: a profile's traces and its counts differ")
    return set(functions.values()), order


def common(first, second):
    """The length of the longest common subsequence of two lists without repetitions."""
    places = {value: place for place, value in enumerate(second)}
    ends = []
    for place in (places[value] for value in first if value in places):
        at = bisect.bisect_left(ends, place)
        ends[at:at + 1] = [place]
    return len(ends)


def end(program):
    program.process.send_signal(signal.SIGTERM if program.program != "bash" else signal.SIGKILL)
    program.process.wait()


def watched(make, options):
    with tempfile.TemporaryDirectory() as folder:
        program = make(folder)
        recorder = subprocess.Popen(
            [FIRSTLIGHT, "record", "--attach", str(program.pid), "-o", folder + "/p.flp", *options],
            stderr=subprocess.PIPE, text=True)
        for line in recorder.stderr:
            if "watching" in line:
                break
        else:
            sys.exit("attach_oracle: the recorder does not begin")
        program.drive()
        time.sleep(SECONDS)
        recorder.send_signal(signal.SIGINT)
        recorder.stderr.read()
        if recorder.wait() != 0:
            sys.exit("attach_oracle: the recorder failed")
        end(program)
        return profile(folder + "/p.flp", program.pid)


def debugged(make, addresses):
    with tempfile.TemporaryDirectory() as folder:
        program = make(folder)
        exe = os.readlink(f"/proc/{program.pid}/exe")
        with open(f"/proc/{program.pid}/maps") as maps:
            base = min(int(line.split("-")[0], 16) for line in maps if exe in line)
        with open(folder + "/script.py", "w") as file:
            file.write(GDB.format(base=base, ready=folder + "/ready", addresses=sorted(addresses)))
        debugger = subprocess.Popen(
            ["gdb", "-nx", "-batch", "-ex", "set breakpoint always-inserted on",
             "-ex", "handle SIGUSR2 stop nopass", "-p", str(program.pid), "-x", folder + "/script.py"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(folder + "/ready"), 600)
        program.drive()
        time.sleep(SECONDS)
        os.kill(program.pid, signal.SIGUSR2)
        debugger.wait()
        end(program)
        with open(folder + "/ready.hits") as file:
            return [int(word) for word in file.read().split()]


def started(make):
    """Functions of a start in their order, by `record --no-rebuild` and by gdb."""
    with tempfile.TemporaryDirectory() as folder:
        program, arguments = copy(make.program, folder), make.start(folder)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        recorder = subprocess.run(
            [FIRSTLIGHT, "record", "--no-rebuild", "-o", folder + "/p.flp", "--", program, *arguments], **quiet)
        if recorder.returncode != 0:
            sys.exit("attach_oracle: a start failed")
        addresses, recorded = profile(folder + "/p.flp", 0)
        with open(folder + "/script.py", "w") as file:
            file.write(GDB_START.format(program=program, hits=folder + "/hits", addresses=sorted(addresses)))
        subprocess.run(
            ["gdb", "-nx", "-batch", "-ex", "set breakpoint always-inserted on", "-ex", "set startup-with-shell off",
             "-x", folder + "/script.py", "--args", program, *arguments], **quiet)
        with open(folder + "/hits") as file:
            return recorded, [int(word) for word in file.read().split()]


def compare(name, found, debugger):
    """Prints how a recorder differs from gdb; returns whether it has other functions."""
    print(f"  {name}: {common(debugger, found)} of {len(found)} in gdb's order")
    for title, rest in (("only gdb", set(debugger) - set(found)), (f"only {name}", set(found) - set(debugger))):
        if rest:
            print(f"  {title}: " + " ".join(f"{a:#x}" for a in sorted(rest)[:20]))
    return set(debugger) != set(found)


def main():
    failed = False
    for make in (Redis, Nginx, Bash):
        if sys.argv[1:] and make.program not in sys.argv[1:]:
            continue
        if shutil.which(make.program) is None:
            print(f"{make.program}: not installed")
            continue
        addresses, probes = watched(make, [])
        _, ptrace = watched(make, ["--ptrace"])
        debugger = debugged(make, addresses)
        print(f"{make.program}: {len(addresses)} functions; first called after attaching: gdb {len(debugger)}, "
              f"probes {len(probes)}, ptrace {len(ptrace)}")
        for name, found in (("probes", probes), ("ptrace", ptrace)):
            failed |= compare(name, found, debugger)
        recorded, debugger = started(make)
        print(f"{make.program}: first called in a start: gdb {len(debugger)}, no-rebuild {len(recorded)}")
        failed |= compare("no-rebuild", recorded, debugger)
    sys.exit(failed)


main()
