"""leave.py SPOOL WHAT: leaves files of processes that are not what they say, as user nobody where this is
possible.

forged: 6 processes that are pid 1, 3 files each. unreadable: 4 processes, 2 files each.
running: 3,000 processes with long paths, of one pid that is nobody's and runs as long as this script.
unfinished: a file that somebody began two hours ago, one that somebody began just now, another's."""

import os
import sys

from formats import *

spool, what = sys.argv[1:]
NOBODY = 65534


def own(name):
    if os.geteuid() == 0:
        os.chown(f"{spool}/{name}", NOBODY, NOBODY)


if what == "forged":
    for key in range(1, 7):
        me, began = (1, 0, key), monotonic() - 10**9 - key
        files = [(f"{stem(*me)}-{i}.segment",
                  segment(*me, 4, 1, bytes([key]) * 20, monotonic=began) + record(1, began, 0) + bytes(72),
                  None) for i in range(2)]
        files.append((f"{stem(*me)}.process", process(*me, monotonic=began), None))
        for name, data, _ in files:
            with open(f"{spool}/.{name}", "wb") as file:
                file.write(data)
            own("." + name)
        for name, _, _ in files:
            os.rename(f"{spool}/.{name}", f"{spool}/{name}")
elif what == "running":
    end, mine = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(NOBODY)
        os.close(mine)
        os.read(end, 1)
        os._exit(0)
    with open(f"/proc/{child}/stat") as file:
        start = int(file.read().rsplit(")", 1)[1].split()[19])
    for key in range(1, 3001):
        me = (child, start, key)
        leave(spool, [(f"{stem(*me)}.process", process(*me, path=b"/" + b"p" * 2047, monotonic=monotonic(),
                                                       namespace=os.stat("/proc/self/ns/pid").st_ino), None)])
        own(f"{stem(*me)}.process")
    print("made", flush=True)
    os.wait()
elif what == "unreadable":
    for key in range(1, 5):
        name = stem(4_000_000, 9, key)
        leave(spool, [(f"{name}-0.segment", b"nothing", None), (f"{name}.process", b"nothing", None)])
else:
    name = stem(4_000_000, 9, 1)
    for path, age in ((f".{name}-0-4000000", 7200), (f".{name}-1-4000000", 0), (".other", 7200)):
        with open(f"{spool}/{path}", "wb") as file:
            file.write(bytes(100))
        os.utime(f"{spool}/{path}", (time.time() - age,) * 2)
