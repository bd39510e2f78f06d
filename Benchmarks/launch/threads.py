"""A start of an interpreter with threads."""
import json, threading

def part(number):
    text = json.dumps([{"number": i, "square": i * i} for i in range(3000)])
    parts[number] = len(json.loads(text))

parts = [0] * 4
threads = [threading.Thread(target=part, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(parts))
