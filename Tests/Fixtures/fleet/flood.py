"""flood.py URL TOKEN PID COUNT: sends COUNT batches of 30 MB at once, half of them compressed, and each again as
long as it is told to come again. Prints JSON: by status how many answers there were, how many of those that
say no name a time to come again, and the most memory that process PID ever had, bytes."""

import collections
import json
import sys
import threading
import time
import urllib.parse
import zlib

from formats import *

url, token, pid, count = sys.argv[1:]
# Each has the same row again and again, of which the first is new to the store.
large = row("01" * 20, "n" * 4096, 4, [0])
answers, retries = collections.Counter(), 0
lock = threading.Lock()


def send(number):
    global retries
    body = batch([large] * 7300, ledger=f"flood {number}")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/vnd.firstlight.states"}
    if number % 2:
        body = zlib.compress(body, 1)
        headers["Content-Encoding"] = "deflate"
    while True:
        connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc, timeout=300)
        try:
            connection.request("POST", "/v1/states", body, headers)
            answer = connection.getresponse()
            answer.read()
        except ConnectionError:
            # Told no, and cut off while it went on.
            with lock:
                answers["cut off"] += 1
            continue
        finally:
            connection.close()
        with lock:
            answers[answer.status] += 1
            retries += answer.getheader("Retry-After") is not None
        if answer.status != 429:
            break
        # As anybody would who was told to come again, if sooner.
        time.sleep(0.2)


threads = [threading.Thread(target=send, args=(number,)) for number in range(int(count))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with open(f"/proc/{pid}/status") as file:
    memory = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
print(json.dumps({"answers": answers, "retries": retries, "memory": memory}))
