"""hostile.py URL TOKEN SPOOL PID SEED COUNT: sends COUNT things to a collector that no honest host would,
half as batches, half as files in its spool, and watches it meanwhile.

The same for the same SEED. Prints one line of JSON: how many of each answer there were, the longest that
/healthz took, seconds, and the most memory that process PID ever had, bytes."""

import json
import os
import random
import struct
import sys
import threading
import time
import zlib

from formats import *

url, token, spool, pid, seed, count = sys.argv[1:]
rng = random.Random(int(seed))
collector = Collector(url, token)
NOW = 1_790_000_000.0


def some(size):
    return bytes(rng.randrange(256) for _ in range(size))


def build():
    return some(20).hex()


def day():
    return rng.choice([0, DAY, DAY + rng.randrange(40), 1_145_833, 9_999_999])


def one(*rows, samples=()):
    return batch(rows, samples, ledger=rng.randrange(4))


def version():
    return rng.choice([1, 2, rng.randrange(1, 1 << 20), (1 << 64) - 1])


# --- Batches


def many_guards():
    guards = rng.choice([1 << 20, 1 << 23, 1 << 26])
    return one(row(build(), "guards", guards, [rng.randrange(guards)], day=day(), version=version()))


def many_days():
    name = build()
    return one(*[row(name, "days", 1 << 26, [i], day=DAY - i) for i in range(rng.randrange(1000, 9000))])


def wrong_hours():
    return one(row(build(), "hours", 1 << 20, range(1000), hour=rng.choice([23, 24, 1 << 40])))


def all_called():
    guards = 64 * rng.choice([1 << 10, 1 << 14, (1 << 14) + 1])
    return one(row(build(), "called", guards, range(guards)))


def far_apart():
    step = rng.choice([64, 4096])
    guards = list(range(0, min(1 << 26, step << rng.choice([10, 16])), step))
    return one(row(build(), "apart", 1 << 26, guards, callers=guards if rng.random() < 0.5 else []))


def many_rows():
    return one(*[row(some(4).hex(), "i", 1, []) for _ in range(rng.choice([100, 4096, 10_001]))])


def many_labels():
    name = build()
    return one(*[row(name, "labels", 9, [i % 9], labels=(f"v{i}", ""))
                 for i in range(rng.choice([100, 2000, 10_000, 10_001]))])


def many_builds():
    return one(*[row(some(8).hex(), "builds", 1 << 26, [i], day=DAY + i)
                 for _ in range(rng.randrange(1, 60)) for i in range(50)])


def large_numbers():
    large = rng.choice([1 << 42, (1 << 42) + 1, 1 << 63])
    return one(*[row("aa" * 20, "sums", 4, [(1, large)], runs=large, hosts=large, program_runs=large,
                     processes=large, losses=(large, large, large, large), day=day(),
                     seconds=rng.choice([9.9e14, 9.9e99, -1.0, float("nan")]), version=version(),
                     starts=[(rng.choice([0, 1000, 1001]), large)], stages=[("main", [(1, large)])])
                 for _ in range(rng.randrange(1, 300))])


def never_called():
    return one(row(build(), "none", 4, [(1, 0)]))


def long_order():
    guards = list(range(rng.choice([1000, 100_000, 400_000])))
    rng.shuffle(guards)
    name = rng.choice(["cc" * 20, build()])
    return one(row(name, "order", 400_000, sorted(guards)), samples=[
        trace([image(name, "order", 400_000)], NOW, some(16), calls=order(guards, threads=range(1, 50)))])


def one_family():
    return one(samples=[
        trace([image("dd" * 20, "family", 40)], NOW, some(16), run="family", calls=order([1]))
        for _ in range(rng.randrange(1, 400))])


def other_guards():
    return one(row("ee" * 20, "guards", rng.randrange(1, 9), [0], version=version()))


def wrong_words():
    return one(row(build(), rng.choice([b"\xff" * 4000, "x" * 4097, "\n\x1b[31m"]), 4, [],
                   labels=rng.choice([("\n", ""), ("1", "no label"), ("x" * 200, "")])))


def damaged():
    whole = bytearray(rng.choice([many_guards, one_family, other_guards, large_numbers])())
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(4, len(whole))
        whole[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return bytes(whole[:rng.randrange(5, len(whole) + 1)] if rng.random() < 0.3 else whole)


def bomb():
    return zlib.compress(b"FLS3" + bytes(rng.choice([1 << 20, 1 << 25, 1 << 28])), 9)


BATCHES = [many_guards] * 6 + [damaged] * 8 + [other_guards] * 4 + [wrong_words] * 4 + [
    one_family, large_numbers, many_days, wrong_hours, all_called, far_apart, many_rows,
    many_labels, many_builds, never_called, long_order, bomb]


def send():
    make = rng.choice(BATCHES)
    body = make()
    if make is bomb:
        return make, body, "deflate"
    return (make, zlib.compress(body, 1), "deflate") if rng.random() < 0.3 else (make, body, None)


# --- Processes


def left(number):
    """The files of one process."""
    me = (rng.randrange(1 << 22, 1 << 32), rng.randrange(1, 9), rng.getrandbits(60) << 4 | 1)
    name = stem(*me)
    began = monotonic() - 10**9
    segments, more = [], {}

    def add(capacity, records, count=None, size=None, build=None, hole=0, **fields):
        head = segment(*me, capacity, len(records) if count is None else count,
                       some(20) if build is None else build, monotonic=began, **fields)
        full = 4096 + 24 * capacity
        segments.append((head + bytes(hole) + b"".join(records), size or full))

    kind = rng.randrange(14)
    if kind == 0:  # Many large images of which nothing was called.
        for i in range(rng.randrange(1, 40)):
            add(1 << 26, [record(5, began + 1, i)])
    elif kind == 1:  # Says that every slot was taken.
        add(1 << 26, [record(7, began + 1, 0)], count=1 << 26)
    elif kind == 2:  # Hours, days, more than any clock shows.
        step = rng.choice([3600, 86400]) * 10**9
        count = rng.choice([400, 9000])
        add(1 << 26, [record(i, began + i * step, i) for i in range(count)])
    elif kind == 3:  # The same build, with as many guards as it likes.
        add(rng.randrange(1, 9), [record(0, began + 1, 0)], build=b"\x77" * 20)
    elif kind == 4:  # Far apart.
        add(1 << 26, [record(i * 4099 % (1 << 26), began + i, i) for i in range(3000)])
    elif kind == 5:  # No header, or half of one.
        segments.append((some(rng.randrange(100)), None))
    elif kind == 6:  # A path that is no text, and no build id.
        add(4, [record(0, began + 1, 0)], path=b"\xff" * 2048, build=rng.choice([b"", some(20)]))
        more = {"path": b"\xff" * 2048, "command": b"\0" * 1024}
    elif kind == 7:  # Many images.
        for _ in range(rng.choice([10, 200])):
            add(1, [record(0, began + 1, 0)])
    elif kind == 8:  # Ready before it began, begun in another time.
        add(4, [record(0, began + 1, 0)], realtime=rng.choice([1, (1 << 63) - 1]))
        more = {"ready": rng.choice([1, (1 << 63) - 1]), "realtime": (1 << 63) - 1}
    elif kind == 9:  # Its own parent.
        add(4, [record(0, began + 1, 0)])
        more = {"forked_from": (me[0], 0, me[1], me[2])}
    elif kind == 10:  # Records that contradict each other.
        add(100, [record(rng.randrange(200), began + rng.randrange(9), rng.randrange(9))
                  for _ in range(100)], drops=(1 << 32) - 1)
    elif kind == 11:  # A file with holes.
        add(1 << 22, [record(9, began + 1, 0)], count=1 << 22, hole=24 * rng.randrange(1 << 12))
    elif kind == 12:  # Random bytes in a sound file.
        whole = bytearray(segment(*me, 50, 50, some(20), monotonic=began) + bytes(1200))
        for _ in range(30):
            whole[rng.randrange(len(whole))] = rng.randrange(256)
        segments.append((bytes(whole), None))
    files = [(f"{name}-{i}.segment", data, size) for i, (data, size) in enumerate(segments)]
    page = process(*me, monotonic=began, **more)
    return files + [(f"{name}.process", page if rng.random() < 0.95 else page[:50], None)]


# --- The watch


class Watch(threading.Thread):
    """Asks again and again whether the collector answers."""

    def __init__(self):
        super().__init__(daemon=True)
        self.longest, self.ends = 0.0, False

    def run(self):
        while not self.ends:
            start = time.monotonic()
            assert collector.ask("GET", "/healthz")[0] == 200
            self.longest = max(self.longest, time.monotonic() - start)
            time.sleep(0.02)


def memory():
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


watch = Watch()
watch.start()
answers, processes, peaks = {}, 0, {}
for turn in range(int(count)):
    before = memory()
    if turn % 2:
        files = left(turn)
        leave(spool, files)
        processes += 1
        name = "processes"
    else:
        make, body, coding = send()
        status, data = collector.send(body, coding)
        assert status in (200, 413, 422), (make.__name__, status, data[:500])
        answers[status] = answers.get(status, 0) + 1
        name = make.__name__
    grown = memory() - before
    if grown > 4 << 20:
        peaks[name] = max(grown, peaks.get(name, 0))
watch.ends = True
watch.join()
print(json.dumps({
    "answers": answers, "processes": processes, "longest": round(watch.longest, 3),
    "memory": memory(), "growth": peaks}))
