"""ask.py URL TOKEN PID: asks a collector for all that it has of each of its builds, and prints the most
memory that process PID ever had, bytes."""

import json
import sys
import urllib.parse

from formats import *

collector = Collector(sys.argv[1], sys.argv[2])
after, builds = None, {}
for _ in range(20):
    query = "?limit=1000" + ("&after=" + urllib.parse.quote(after) if after else "")
    status, data = collector.ask("GET", "/v1/builds" + query)
    assert status == 200, data[:500]
    document = json.loads(data)
    for build in document["builds"]:
        builds.setdefault(build["program"], []).append(build["buildID"])
    after = document.get("next")
    if not after:
        break
# Some of each kind.
for build in [build for kind in builds.values() for build in kind[:6]]:
    for path in (f"/v1/profile?build-id={build}", f"/v1/startups?build-id={build}",
                 f"/builds/{build}"):
        status, data = collector.ask("GET", path)
        assert status in (200, 400, 404, 422), (path, status, data[:500])
assert collector.ask("GET", "/v1/status")[0] == 200
with open(f"/proc/{sys.argv[3]}/status") as file:
    print(next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")))
