"""otlp.py read FILE | receive: reads OTLP/JSON with OpenTelemetry's published messages, and prints the spans of each process.

receive: prints a port, and takes requests there until SIGTERM. /v1/traces wants a header; /some refuses two spans."""

import base64
import http.server
import json
import signal
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SIZES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def plain(value):
    """Ids are hexadecimal in OTLP, and base64 elsewhere in protobuf's JSON."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    for key, size in SIZES.items():
        if value.get(key):
            number = bytes.fromhex(value[key])
            assert len(number) == size and any(number), key
            value[key] = base64.b64encode(number).decode()
    return {key: plain(each) for key, each in value.items()}


def spans(text):
    request = json_format.ParseDict(plain(json.loads(text)), ExportTraceServiceRequest())
    ids = set()
    for process in request.resource_spans:
        name = [a.value.string_value for a in process.resource.attributes if a.key == "service.name"]
        assert process.resource.attributes and len(name) == 1
        for scope in process.scope_spans:
            root = scope.spans[0]
            for span in scope.spans:
                assert span.span_id not in ids and span.trace_id == root.trace_id
                assert span.start_time_unix_nano <= span.end_time_unix_nano
                assert span is root or span.parent_span_id == root.span_id
                assert span.start_time_unix_nano > 1_600_000_000 * 10**9
                ids.add(span.span_id)
                if span.parent_span_id:
                    yield f"  {span.name}"
                else:
                    yield f"{span.name} of {name[0]}: " + ", ".join(sorted(e.name for e in span.events))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"] == "application/json"
        answer = {}
        if self.path == "/some":
            answer = {"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too\nmany"}}
        elif self.path != "/v1/traces" or self.headers["Authorization"] != "Bearer secret":
            return self.send(401, {"code": 16, "message": "no"})
        print("\n".join(spans(body)), flush=True)
        self.send(200, answer)

    def send(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if sys.argv[1] == "read":
    print("\n".join(spans(open(sys.argv[2]).read())))
else:
    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(server.server_port, flush=True)
    server.serve_forever()
