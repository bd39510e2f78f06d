"""questions.py URL TOKEN PID HOW: sends 400 builds, asks for all of them over 120 connections as HOW says (closed,
open, pipelined), and checks meanwhile whether the daemon, process PID, is healthy. Prints JSON: seconds of a question
alone, of the slowest check, of a question afterwards, and of the daemon's processor time from the flood on."""

import json
import os
import socket
import sys
import time
import urllib.parse

from formats import *

url, token, pid, how = sys.argv[1:]
collector = Collector(url, token)
host, port = urllib.parse.urlparse(url).netloc.split(":")
QUESTION = "/v1/builds?limit=1000"


def work():
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds(path):
    start = time.monotonic()
    status, _ = collector.ask("GET", path)
    assert status == 200, (path, status)
    return time.monotonic() - start


collector.send(batch([
    row(f"{number:040x}", "server", 5, [0], callers=[0]) for number in range(400)]))
alone = min(seconds(QUESTION) for _ in range(3))
before = work()
request = (f"GET {QUESTION} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n").encode()
flood = []
for _ in range(120):
    peer = socket.create_connection((host, int(port)))
    peer.sendall(request * (20 if how == "pipelined" else 1))
    flood.append(peer)
health = max(seconds(path) for _ in range(5) for path in ("/healthz", "/readyz"))
if how == "closed":
    for peer in flood:
        peer.close()
    health = max(health, max(seconds(path) for _ in range(5) for path in ("/healthz", "/readyz")))
after = seconds(QUESTION) if how == "closed" else 0
print(json.dumps({"alone": alone, "health": health, "after": after, "work": work() - before}))
