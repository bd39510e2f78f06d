"""Writes what hosts send and programs leave, byte by byte, as strangers might: from firstlight_abi.h and
the comments of StateBatch and SeriesStateCoding, and by nothing of ours."""

import hashlib
import http.client
import os
import struct
import time
import urllib.parse

SEGMENT = 0x544E4D4745534C46
PROCESS = 0x5345434F52504C46


def monotonic():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def stem(pid, start, key):
    return f"{pid}-{start}-{key:016x}"


def process(pid, start, key, path=b"/usr/bin/hostile", namespace=0, monotonic=0, realtime=None,
            forked_from=None, ready=0, command=b"hostile\0"):
    page = bytearray(4096)
    struct.pack_into("<QII", page, 0, PROCESS, 1, 4096)
    struct.pack_into("<IIQQ", page, 16, pid, namespace, start, key)
    struct.pack_into("<IIQQ", page, 40, 1, 0, monotonic, realtime or time.time_ns())
    if forked_from:
        struct.pack_into("<IIQQ", page, 64, *forked_from)
    struct.pack_into("<IIIII", page, 88, 0, len(path), 0, len(command), 0)
    page[112:112 + len(path)] = path
    page[2160:2160 + len(command)] = command
    struct.pack_into("<IIIIQ", page, 4032, 0, 1, 0, 0, ready)
    return bytes(page)


def segment(pid, start, key, capacity, count, build, path=b"/usr/bin/hostile", namespace=0,
            monotonic=0, realtime=None, drops=0):
    page = bytearray(4096)
    struct.pack_into("<QIIII", page, 0, SEGMENT, 1, 4096, 24, capacity)
    struct.pack_into("<IIQQ", page, 24, pid, namespace, start, key)
    struct.pack_into("<QQQQQQQII", page, 48, monotonic, realtime or time.time_ns(), 0, 0, 1 << 40,
                     4096, 0, 0, len(build))
    page[112:112 + len(build)] = build
    struct.pack_into("<II", page, 176, len(path), 0)
    page[184:184 + len(path)] = path
    struct.pack_into("<II", page, 4032, count, drops)
    return bytes(page)


def record(guard, moment, sequence, thread=1, caller=1):
    return struct.pack("<IIQII", guard + 1, thread, moment, sequence, caller)


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return number(len(data)) + data


def rising(guards):
    out, last = bytearray(number(len(guards))), 0
    for guard in guards:
        out += number(guard - last)
        last = guard
    return bytes(out)


DAY = 1_790_000_000 // 86400


def row(build, name, guards, called, day=DAY, version=1, runs=1, hosts=1, program_runs=1, processes=1,
        losses=(0, 0, 0, 0), seconds=1.0, labels=("", ""), executable=1, callers=(), hour=0, starts=(),
        stages=()):
    """What a host has counted of a build on a day. called: guards, rising, or pairs of one and in how many runs it
    was called; starts: pairs of a bucket and a number; stages: pairs of a name and such pairs."""
    called = [pair if isinstance(pair, tuple) else (pair, 1) for pair in called]
    out = [text(build), number(0), number(guards), number(day), text(labels[0]), text(labels[1]),
           number(version << 24), names(name, runs), number(executable)]
    out += [number(n) for n in (runs, hosts, program_runs, processes, *losses)]
    out += [struct.pack("<d", seconds), histogram(starts), number(len(stages))]
    out += [text(kind) + histogram(counts) for kind, counts in stages]
    out += [rising([guard for guard, _ in called])]
    out += [number(zigzag(runs - calls)) for _, calls in called]
    out += [number(1)] * len(called) + [number(hour)] * (2 * len(called))
    out += [rising(callers)] + [number(4096 + guard) for guard in callers]
    return b"".join(out)


def names(name, runs):
    return number(1) + text(name) + number(runs) if name else number(0)


def zigzag(value):
    return (value << 1 ^ value >> 63) & (1 << 64) - 1


def histogram(counts):
    return number(len(counts)) + b"".join(number(bucket) + number(count) for bucket, count in counts)


def secret(name):
    """Of a ledger that tests call by a name."""
    return hashlib.sha256(str(name).encode()).digest()


def image(build, name, guards, executable=1):
    """Of a sampled trace."""
    return b"".join([text(build), number(0), text(name), number(executable), number(guards)])


def trace(images, started, ident, calls, seconds=1.0, ready=-1.0, labels=("", ""), losses=(0, 0, 0, 0),
          run=None):
    """Of a run of its own, or of one process of a run, forked from its first."""
    out = [text(run or ident.hex()), text(ident.hex() if run else "1-2-3"), text(""), text("1-2-3"),
           text("host"), text(labels[0]), text(labels[1]),
           struct.pack("<ddd", started, seconds, ready)]
    out += [number(loss) for loss in losses]
    return b"".join(out + [number(len(images))] + images + [number(0), calls])


def order(guards, threads=(1,)):
    """First calls in order, of image 0, a nanosecond apart."""
    out, last = [number(len(threads))] + [number(t) for t in threads] + [number(len(guards))], 0
    for place, guard in enumerate(guards):
        step = guard - last
        out += [b"\0", number((step << 1) ^ (step >> 63)), number(place % len(threads)), b"\1"]
        last = guard
    return b"".join(out)


def parts(items):
    return number(len(items)) + b"".join(number(len(item)) + item for item in items)


def batch(rows, samples=(), ledger="host"):
    return b"FLS3" + secret(ledger) + parts(rows) + parts(samples)


class Collector:
    """One that runs."""

    def __init__(self, url, token):
        self.address = urllib.parse.urlparse(url).netloc
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None, timeout=120, **headers):
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, body, {**self.headers, **named})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    def send(self, body, coding=None):
        headers = {"Content_Type": "application/vnd.firstlight.states"}
        if coding:
            headers["Content_Encoding"] = coding
        return self.ask("POST", "/v1/states", body, **headers)


def leave(spool, files):
    """Puts a process's files into a spool as the runtime does: each at once, the process's last.
    files: name, bytes, and the size the file says to have, if that is more."""
    for name, data, size in files:
        hidden = f"{spool}/.{name}"
        with open(hidden, "wb") as file:
            file.write(data)
            if size and size > len(data):
                file.truncate(size)
        os.rename(hidden, f"{spool}/{name}")
