"""peers.py PORT COUNT idle|slow: keeps that many connections open that say nothing, or half a head. Prints "open"
when they are there; those that the other side ends are no error."""

import signal
import socket
import sys

port, count, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
peers = []
for _ in range(count):
    peer = socket.create_connection(("127.0.0.1", port))
    peers.append(peer)
    try:
        if kind == "slow":
            peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
    except OSError:
        pass
print("open", flush=True)
signal.pause()
