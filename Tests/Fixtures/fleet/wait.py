"""wait.py LEDGER PATH: lets a batch wait in a host's outbox as a host with a store of its own makes it: plain, and
with the path of its program."""

import sqlite3
import sys

from formats import *

ledger = sqlite3.connect(sys.argv[1])
made = batch([trace([image("cd" * 20, sys.argv[2], 4, [(1_790_000_000.0, [0])], new=[0])], 1_790_000_000.0,
                    b"waits".ljust(16), calls=order([0]), call_count=1)])
ledger.execute("INSERT INTO outbox (made_at, traces, batch) VALUES (?, 1, ?)", (time.time(), made))
ledger.commit()
