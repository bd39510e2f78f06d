#!/usr/bin/env python3
"""How true `firstlight launch` is of programs with threads: Benchmarks/threads.py [RUNS]

Environment: FIRSTLIGHT (default .build/release/firstlight). Needs clang, swiftc, python3 and perf.

Five programs: C threads one after the other and at once, Dispatch, a server on Swift's concurrency, an interpreter. For each:
what its stages add up to, against its starts without a tracer, and the times of its first calls, against the
CPU time that perf gives these functions and what they call. Functions with under 0.05 ms are left out, since perf
samples 10,000 times a second. A function that waits, also for a processor, takes longer than perf shows, and one
that is called again takes less.
"""
import collections, json, os, socket, statistics, subprocess, sys, tempfile, time

runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
firstlight = os.path.abspath(os.environ.get("FIRSTLIGHT", ".build/release/firstlight"))
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch")
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
frequency, samples_of = 10_000, 20

def check(*command): subprocess.run(command, check=True)

check("clang", "-O1", "-g", "-fno-omit-frame-pointer", "-pthread", f"{here}/pool.c", "-o", "pool")
check("swiftc", "-O", "-g", f"{here}/dispatch.swift", "-o", "dispatch")
check("swiftc", "-O", "-g", "-parse-as-library", f"{here}/server.swift", "-o", "server")
port = "18973"
# The interpreter's stacks are deep: main lies beyond the first 8 KiB.
programs = [("C, a thread after the other", ["./pool", "in-turn"], [], 8192),
            ("C, six threads", ["./pool"], [], 8192), ("Dispatch", ["./dispatch"], [], 8192),
            ("concurrency server", ["./server", port], ["--until", f"port:{port}"], 8192),
            ("python3, four threads", [sys.executable, f"{here}/threads.py"], [], 65528)]

def perf(command, until_ready, stack):
    """CPU milliseconds of a run by function: its samples and those of what it calls."""
    total = collections.Counter()
    for _ in range(samples_of):
        sampler = ["perf", "record", "-q", "-F", str(frequency), "-e", "cpu-clock",
                   "--call-graph", f"dwarf,{stack}", "-o", "perf.data", "--"]
        if until_ready:
            child = subprocess.Popen(sampler + command, stdout=subprocess.PIPE)
            while True:
                try: socket.create_connection(("127.0.0.1", int(port))).close(); break
                except OSError: time.sleep(0.0005)
            subprocess.run(["pkill", "-INT", "-P", str(child.pid)])
            child.wait()
        else:
            subprocess.run(sampler + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        script = subprocess.run(["perf", "script", "--no-inline", "-F", "ip,sym"], capture_output=True, text=True)
        for stack in script.stdout.split("\n\n"):
            names = set()
            for line in stack.splitlines():
                parts = line.split(maxsplit=1)
                if len(parts) == 2: names.add(parts[1].split("+0x")[0].strip())
            total.update(names)
    names = list(total)
    plain = subprocess.run(["swift-demangle", "--compact", "--no-sugar"], input="\n".join(names),
                           capture_output=True, text=True, check=True).stdout.splitlines()
    merged = collections.Counter()
    for name, demangled in zip(names, plain): merged[demangled] += total[name]
    return {name: count * 1e3 / frequency / samples_of for name, count in merged.items()}

for title, command, options, stack in programs:
    answer = subprocess.run(
        [firstlight, "launch", "--runs", str(runs), "--format", "json", *options, command[0], "--", *command[1:]],
        capture_output=True, text=True)
    if answer.returncode: sys.exit(f"{title}: {answer.stderr}")
    account = json.loads(answer.stdout)
    sampled = perf(command, bool(options), stack)
    found = collections.Counter()
    for call in account["calls"]:
        if call["ending"] == "returned": found[call["name"]] += call["duration"] / 1e6
    rows = sorted((found[name] / sampled[name], name) for name in found if sampled.get(name, 0) >= 0.05)
    ratios = [ratio for ratio, _ in rows]
    print(f"{title}: stages are {account['share']:.1%} of untraced starts, calls scaled by {account['scale']:.2f}; "
          f"{len(rows)} functions take {statistics.median(ratios):.2f} of what perf shows "
          f"({ratios[len(rows) // 10]:.2f} to {ratios[-1 - len(rows) // 10]:.2f}, without the outer tenths)", flush=True)
    for ratio, name in rows[:2] + rows[-2:]:
        print(f"  {found[name]:7.3f} ms, perf {sampled[name]:.3f}: {name[:70]}")
