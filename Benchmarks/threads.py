#!/usr/bin/env python3
"""How true `firstlight launch` is of programs with threads: Benchmarks/threads.py [RUNS]

Environment: FIRSTLIGHT (default .build/release/firstlight). Needs clang, swiftc, python3 and perf.

Four programs: a pool of C threads, Dispatch, a server on Swift's concurrency, an interpreter. For each:
what its stages add up to, against its starts without a tracer, and the functions whose own CPU time is
above what perf gives them (their samples and those of what they call) by more than the bound stated
beside it. perf samples 10,000 times a second; three standard deviations of its count are allowed. Its
clock starts with each thread, so what runs in a thread's first 0.1 ms it never sees: that is allowed too.
A function that ends in a jump, as python3's main does, is in none of its stacks and is named as such.
"""
import collections, json, math, os, socket, subprocess, sys, tempfile, time

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
programs = [("C, six threads", ["./pool"], [], 8192), ("Dispatch", ["./dispatch"], [], 8192),
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
    return {name: count * 1e3 / frequency / samples_of for name, count in merged.items()}, merged

for title, command, options, stack in programs:
    answer = subprocess.run(
        [firstlight, "launch", "--runs", str(runs), "--format", "json", *options, "--", *command],
        capture_output=True, text=True)
    if answer.returncode: sys.exit(f"{title}: {answer.stderr}")
    account = json.loads(answer.stdout)
    sampled, counts = perf(command, bool(options), stack)
    own, error, unseen = collections.Counter(), collections.Counter(), collections.Counter()
    began = {}
    for call in account["calls"]:
        began[call["thread"]] = min(call["time"], began.get(call["thread"], call["time"]))
    for call in account["calls"]:
        if call["time"] - began[call["thread"]] < 1e9 / frequency:
            unseen[call["name"]] = 1e3 / frequency
        if "cpu" in call:
            own[call["name"]] += call["cpu"] / 1e6
            error[call["name"]] += call["error"] / 1e6
    above, jumps = [], []
    for name, found in own.items():
        # A hundred samples that should be there.
        if name not in counts and found * frequency * samples_of > 100 * 1e3:
            jumps.append(name)
            continue
        noise = 3 * math.sqrt(max(1, counts.get(name, 0))) * 1e3 / frequency / samples_of
        if found > sampled.get(name, 0) + error[name] + noise + unseen[name]:
            above.append((found - sampled.get(name, 0), found, sampled.get(name, 0), error[name], name))
    print(f"{title}: stages are {account['share']:.1%} of untraced starts; "
          f"{len(above)} of {len(own)} functions above perf and their bound"
          + "".join(f"; {name}: in none of perf's stacks" for name in jumps), flush=True)
    for _, found, seen, bound, name in sorted(above, reverse=True)[:5]:
        print(f"  {found:7.3f} ms, perf {seen:.3f}, bound {bound:.3f}: {name[:70]}")
