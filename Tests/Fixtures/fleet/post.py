"""post.py URL TOKEN GUARDS NAME...: sends for each NAME what a ledger of that name has counted of build ab..ab (or that of
the environment variable BUILD): one run, which called guard 0 of GUARDS, and its trace. The environment variables
STARTED tells when, in seconds since 1970, VERSION the row's version, CALLED in how many runs guard 0 was called.
Prints the last status and what all answers say in sum."""

import json
import os
import sys

from formats import *

url, token, guards = sys.argv[1:4]
started = float(os.environ.get("STARTED", 1_790_000_000))
build, runs = os.environ.get("BUILD", "ab" * 20), int(os.environ.get("CALLED", 1))
total = {"added": 0, "known": 0, "samples": 0}
refusals = []
for name in sys.argv[4:]:
    status, data = Collector(url, token).send(batch(
        [row(build, "server", int(guards), [(0, runs)], day=int(started // 86400), runs=runs, program_runs=runs,
             processes=runs, version=int(os.environ.get("VERSION", 1)), callers=[0])],
        [trace([image(build, "server", int(guards))], started, f"trace {name}".encode().ljust(16)[:16],
               calls=order([0]))], ledger=name))
    if status != 200:
        print(status, data.decode())
        sys.exit()
    answer = json.loads(data)
    total = {key: total[key] + answer[key] for key in total}
    refusals += answer["refusals"].values()
print(status, json.dumps({**total, "refusals": refusals}, separators=(",", ":")))
