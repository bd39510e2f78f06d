"""upstream.py DIR busy|full|ROWS|batch: stands in for a firstlightd that others send to. Prints its port, keeps the body
of each post of rows as DIR/body-NUMBER, and then prints "body NUMBER". To who asks for versions it says that it has them.

busy: answers 503 to all. full: wants the first batch again in a second, and takes it then. batch: refuses each. ROWS: takes all but that many of a batch's first rows,
which it refuses."""

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


def rows(data):
    """How many rows a batch has."""
    assert data[:4] == b"FLS3"
    return leb(data, 36)[0]


def versions(data):
    """Those of the rows that are asked for."""
    assert data[:4] == b"FLV1"
    count, at = leb(data, 36)
    for _ in range(count):
        length, at = leb(data, at)
        at += length
        for _ in range(3):
            _, at = leb(data, at)
        for _ in range(2):
            length, at = leb(data, at)
            at += length
        version, at = leb(data, at)
        yield version


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global bodies
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/versions":
            return self.answer(200, {"versions": list(versions(zlib.decompress(body)))})
        with open(f"{directory}/body-{bodies}", "wb") as file:
            file.write(body)
        count = rows(zlib.decompress(body))
        if mode == "busy":
            status, answer = 503, {"type": "about:blank", "title": "busy", "status": 503}
        elif mode == "full" and bodies == 0:
            status, answer = 429, {"type": "about:blank", "title": "full", "status": 429}
        elif mode == "batch":
            status = 422
            answer = {"type": "about:blank", "title": "no", "status": 422, "detail": "cannot be read",
                      "batch": self.headers["Firstlight-Batch"]}
        else:
            status, refused = 200, range(min(count, 0 if mode == "full" else int(mode)))
            refusal = {"kind": "refused", "reason": "dropped up to 2001-02-03"}
            answer = {"added": count - len(refused), "known": 0, "samples": 0, "firstOpenDay": "1970-01-01",
                      "sampleLimits": {}, "refusals": {str(place): refusal for place in refused}}
        self.answer(status, answer)
        print("body", bodies, flush=True)
        bodies += 1

    def answer(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Upstream)
print(server.server_port, flush=True)
server.serve_forever()
