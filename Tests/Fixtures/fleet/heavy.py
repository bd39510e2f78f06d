"""heavy.py SPOOL|URL [TOKEN]: one process with as many first calls as one may have, all new and in an
order that is wanted: left in a spool, or sent. Prints the answer's status."""

import random
import sys

from formats import *

CALLS = 1 << 20
guards = list(range(CALLS))
random.Random(1).shuffle(guards)
if sys.argv[1].startswith("http"):
    body = batch([row("ab" * 20, "heavy", CALLS, range(CALLS), callers=range(CALLS))], [
        trace([image("ab" * 20, "heavy", CALLS)], 1_790_000_000.0, b"heavy".ljust(16),
              calls=order(guards))])
    try:
        status, data = Collector(sys.argv[1], sys.argv[2]).send(body)
        print(status, data.decode())
    except (ConnectionError, http.client.HTTPException):
        print("ended")
else:
    me, began = (4_000_001, 7, 0x77), monotonic() - 10**9
    data = segment(*me, CALLS, CALLS, b"\xab" * 20, monotonic=began) + b"".join(
        record(guard, began + place, place) for place, guard in enumerate(guards))
    leave(sys.argv[1], [
        (f"{stem(*me)}-0.segment", data, None),
        (f"{stem(*me)}.process", process(*me, monotonic=began), None)])
