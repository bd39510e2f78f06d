"""Feeds a firstlightd with made-up segments; see collector.sh. Layout: firstlight_abi.h."""

import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Tests/Fixtures/fleet"))
import sums

daemon, processes, calls, guards, counted = sys.argv[1], *map(int, sys.argv[2:6])
# In memory, so that the disk is not what is measured; the store and ledger are on disk.
spool = tempfile.mkdtemp(prefix="firstlight-bench-", dir="/dev/shm")
work = tempfile.mkdtemp(prefix="firstlight-bench-")
store = os.path.join(work, "fleet.sqlite")
ledger = os.path.join(spool, ".firstlightd/ledger.sqlite")
ticks = os.sysconf("SC_CLK_TCK")
rng = random.Random(1)
BUILD = bytes(range(20))
PATH = b"/opt/bench/server"


def identity(number):
    # A pid that no process has, so each counts as finished.
    return struct.pack("<IIQQ", 5_000_000 + number % 1_000_000, 0, 1000 + number, number + 1)


def process_file(number, now):
    head = struct.pack("<QII", 0x5345434F52504C46, 1, 4096) + identity(number)
    head += struct.pack("<IIQQ", 1, 0, 1_000_000, now) + bytes(24)
    head += struct.pack("<IIIIII", 0, len(PATH), 0, 7, 0, 0)
    page = bytearray(4096)
    page[: len(head)] = head
    page[len(head) : len(head) + len(PATH)] = PATH
    command = len(head) + 2048
    page[command : command + 7] = b"server\0"
    struct.pack_into("<IIII", page, 4032, calls, 1, 0, 0)
    struct.pack_into("<Q", page, 4048, 1_000_000 + 50_000_000 + number % 1000 * 10_000)
    return bytes(page)


def segment_file(number, now, records):
    head = struct.pack("<QIIII", 0x544E4D4745534C46, 1, 4096, 24, guards) + identity(number)
    # Guards and PC table lie within an image of 64 MiB.
    head += struct.pack("<QQQQQQQ", 1_000_000, now, 0, 0, 64 << 20, 1 << 20, 0)
    head += struct.pack("<II", 0, 20) + BUILD + bytes(44)
    head += struct.pack("<II", len(PATH), 0) + PATH
    page = bytearray(4096)
    page[: len(head)] = head
    struct.pack_into("<I", page, 4032, calls)
    return bytes(page) + records + bytes((guards - calls) * 24)


def counters_file():
    """A raw profile of LLVM, version 10: three counters a function, of which every second one ran."""
    ids = struct.pack("<Q", 20) + BUILD + bytes(4)
    head = struct.pack("<16Q", 0xFF6C70726F667281, 10, len(ids), counted, 0, 3 * counted, *[0] * 9, 2)
    records = b"".join(
        struct.pack("<QQQQQQQQ", n, 7, 24 * n - 64 * n & 2**64 - 1, 0, 0, 0, 3, 0) for n in range(counted)
    )
    counters = b"".join(struct.pack("<QQQ", 5 * (n % 2), n, 0) for n in range(counted))
    return head + ids + records + counters + bytes(8 * counted)


def record_sets():
    sets = []
    for _ in range(64):
        order = rng.sample(range(guards), calls)
        sets.append(
            b"".join(
                struct.pack("<IIQII", g + 1, 4242, 1_000_000 + i * 900, i, g * 16)
                for i, g in enumerate(order)
            )
        )
    return sets


def write(first, count, sets):
    now = time.time_ns()
    for number in range(first, first + count):
        stem = f"{spool}/{5_000_000 + number % 1_000_000}-{1000 + number}-{number + 1:016x}"
        with open(stem + "-0.segment", "wb") as file:
            file.write(segment_file(number, now, sets[number % len(sets)]))
        with open(stem + ".process", "wb") as file:
            file.write(process_file(number, now))
        if counted:
            with open(stem + "-0.counters", "wb") as file:
                file.write(profile)


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / ticks


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024


def query(text, path):
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return connection.execute(text).fetchone()[0] or 0
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return 0


child = None
profile = counters_file()
try:
    records = record_sets()
    part = max(1, min(processes // 10, 2000))
    write(0, part, records)
    begin = time.monotonic()
    with open(os.path.join(work, "floor"), "wb") as out:
        subprocess.run(
            f"cat {spool}/*.segment", shell=True, stdout=out, check=True, executable="/bin/bash"
        ) if part < 2000 else subprocess.run(
            f"find {spool} -name '*.segment' -print0 | xargs -0 cat",
            shell=True, stdout=out, check=True,
        )
    floor = part / (time.monotonic() - begin)
    print(f"floor: cat segments > file      {floor:10,.0f} processes/s")
    print("processes   1/s wall    1/s CPU   RSS MiB   rows  sampled")
    arguments = [daemon, "--spool", spool, "--store", f"sqlite:{store}"]
    log = open(os.path.join(work, "log"), "wb")
    done = 0
    total_wall = total_cpu = 0.0
    shown = 0
    while done < processes:
        count = min(part, processes - done)
        if done:
            # The daemon is stopped meanwhile, so that only whole parts are timed.
            os.kill(child.pid, signal.SIGSTOP)
            os.waitpid(child.pid, os.WUNTRACED)  # A signal takes its time; a half-written file is a loss.
            write(done, count, records)
            before, begin = cpu(child.pid), time.monotonic()
            os.kill(child.pid, signal.SIGCONT)
        else:
            before, begin = 0.0, time.monotonic()
            child = subprocess.Popen(arguments, stderr=log)
        done += count
        # What the ledger has is counted; it is sent to the store when its turn comes.
        while query("SELECT sum(runs) FROM state WHERE recorder = 'guards'", ledger) < done:
            if child.poll() is not None:
                sys.exit("firstlightd ended; its log:\n" + open(log.name).read()[-2000:])
            time.sleep(0.01)
        total_wall += time.monotonic() - begin
        total_cpu += cpu(child.pid) - before
        if done * 10 // processes > shown or done == processes:
            shown = done * 10 // processes
            print(
                f"{done:9,d} {done / total_wall:10,.0f} {done / total_cpu:10,.0f}"
                f" {memory(child.pid):9.0f} {query('SELECT count(*) FROM state', ledger):6,d}"
                f" {query('SELECT count(*) FROM sample', ledger):8,d}",
                flush=True,
            )
    child.send_signal(signal.SIGTERM)
    child.wait()
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        found = sum(runs for row in sums.rows(connection) for _, runs in sums.calls(row[-1]))
    expected = done * (calls + counted // 2)
    print(f"first calls counted: {found:,} of {expected:,}; store {os.path.getsize(store) / 2**20:.1f} MiB")
    if found != expected:
        sys.exit("not every first call is accounted for")
finally:
    if child and child.poll() is None:
        child.kill()
        child.wait()
    shutil.rmtree(spool, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
