"""upstream.py DIR busy|full|TRACES|batch: stands in for a firstlightd that others send to. Prints its port, keeps the body
of each post as DIR/body-NUMBER, and then prints "body NUMBER".

busy: answers 503 to all. full: wants the first batch again in a second, and takes it then. batch: refuses each. TRACES: takes all but that many of a batch's first traces,
which it refuses as those of a build with another number of functions."""

import http.server
import json
import sys
import zlib

from formats import *

directory, mode = sys.argv[1:]
bodies = 0


def leb(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def idents(data):
    """The 32 digits of each trace: two words, little end first."""
    count, at = leb(data, 4)
    for _ in range(count):
        length, at = leb(data, at)
        yield "%016x%016x" % struct.unpack_from("<QQ", data, at)
        at += length


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global bodies
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(f"{directory}/body-{bodies}", "wb") as file:
            file.write(body)
        traces = list(idents(zlib.decompress(body)))
        if mode == "busy":
            status, answer = 503, {"type": "about:blank", "title": "busy", "status": 503}
        elif mode == "full" and bodies == 0:
            status, answer = 429, {"type": "about:blank", "title": "full", "status": 429}
        elif mode == "batch":
            status = 422
            answer = {"type": "about:blank", "title": "no", "status": 422, "detail": "has 5 functions, not 4",
                      "batch": self.headers["Firstlight-Batch"]}
        else:
            status, refused = 200, traces[:0 if mode == "full" else int(mode)]
            answer = {"added": len(traces) - len(refused), "known": 0, "sampleLimits": [], "refused": [
                {"trace": trace, "reason": "has 5 functions, not 4"} for trace in refused]}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(text)
        print("body", bodies, flush=True)
        bodies += 1

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Upstream)
print(server.server_port, flush=True)
server.serve_forever()
