"""post.py URL TOKEN GUARDS NUMBER...: sends a batch with a trace for each NUMBER, of build ab..ab (or that of the
environment variable BUILD), which they say has GUARDS guards and of which they call guard 0. The environment variable
STARTED tells when, in seconds since 1970. Prints the answer."""

import os
import sys

from formats import *

url, token, guards = sys.argv[1:4]
started = float(os.environ.get("STARTED", 1_790_000_000))
status, data = Collector(url, token).send(batch([
    trace([image(os.environ.get("BUILD", "ab" * 20), "server", int(guards), [(started, [0])], new=[0])],
          started, f"trace {number}".encode().ljust(16), calls=order([0]), call_count=1)
    for number in sys.argv[4:]]))
print(status, data.decode())
