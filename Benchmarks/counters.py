#!/usr/bin/env python3
"""What the compiler's counters cost in production: Benchmarks/counters.py [DIRECTORY]

Environment: FIRSTLIGHT (default .build/release/firstlight), ROUNDS (default 9), SECONDS (default 5), CONNECTIONS (default 16).

Builds, in DIRECTORY, Examples/web-service and a loop of two tiny functions plain, with guards, and with guards and
counters (about half an hour the first time), and runs them in turns: requests a second of the server at full load on one
processor and on all, nanoseconds a turn of the loop on 1 to 8 threads that share its counters. Processor time says more
than requests on a machine that does other things, too. Both record into a spool, as in production.
"""
import os, re, shutil, statistics, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
firstlight = os.path.abspath(os.environ.get("FIRSTLIGHT", ".build/release/firstlight"))
rounds, seconds = int(os.environ.get("ROUNDS", 9)), os.environ.get("SECONDS", "5")
connections = os.environ.get("CONNECTIONS", "16")
work = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else tempfile.mkdtemp()
os.makedirs(work, exist_ok=True)
spool = os.path.join(work, "spool")
tick = os.sysconf("SC_CLK_TCK")
kinds = {"plain": None, "guards": [], "guards and counters": ["--counters"]}

def flags(tool, options):
    if options is None: return ["-O"] if tool == "swiftc" else ["-Xswiftc", "-g"]
    words = subprocess.run([firstlight, "flags", tool] + options, capture_output=True, text=True, check=True).stdout.split()
    return words + (["-O"] if tool == "swiftc" else [])

subprocess.run(["cc", "-O2", f"{here}/counters/load.c", "-o", f"{work}/load"], check=True)
for number, options in enumerate(kinds.values()):
    subprocess.run(["swiftc"] + flags("swiftc", options) + [f"{here}/counters/shared.swift", "-o", f"{work}/shared-{number}"], check=True)
    subprocess.run(["swift", "build", "-c", "release", "--package-path", f"{here}/../Examples/web-service",
                    "--scratch-path", f"{work}/server-{number}"] + flags("swiftpm", options), check=True, stdout=subprocess.DEVNULL)

def environment():
    shutil.rmtree(spool, ignore_errors=True)
    os.mkdir(spool)
    return dict(os.environ, FIRSTLIGHT_DIR=spool)

def server(number, processors):
    """Requests a second, and microseconds of the server's processor time for each."""
    program = subprocess.Popen(["taskset", "-c", processors, f"{work}/server-{number}/release/WebService", "--port", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), text=True)
    port = re.search(r":(\d+)", program.stdout.readline()).group(1)
    used = lambda: sum(map(int, open(f"/proc/{program.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / tick
    load = lambda time: subprocess.run([f"{work}/load", port, connections, time, "/health"], capture_output=True, text=True, check=True).stdout.split()
    load("1")
    before = used()
    done, time = load(seconds)
    spent = used() - before
    program.kill()
    program.wait()
    return int(done) / float(time), spent / int(done) * 1e6

def loop(number, threads):
    return (float(subprocess.run([f"{work}/shared-{number}", str(threads)], env=environment(), capture_output=True, text=True, check=True).stdout),)

def measure(title, form, run, *arguments):
    found = {kind: [] for kind in kinds}
    for turn in range(rounds):
        order = list(enumerate(kinds))
        for number, kind in order if turn % 2 == 0 else order[::-1]: found[kind].append(run(number, *arguments))
    for kind, values in found.items():
        medians = [statistics.median(column) for column in zip(*values)]
        print(f"{title:24} {kind:20} {form.format(*medians)}", flush=True)

processors = sorted(os.sched_getaffinity(0))
for count in sorted({1, len(processors)}):
    chosen = ",".join(map(str, processors[:count]))
    measure(f"server, {count} of {len(processors)} processors", "{:9.0f} requests/s {:7.2f} us of processor time a request", server, chosen)
for threads in [1, 2, 4, 8]:
    measure(f"loop, {threads} threads", "{:6.2f} ns of processor time a turn", loop, threads)
