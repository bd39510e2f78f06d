#!/usr/bin/env python3
"""Compares the answers of `firstlight symbolize` with those of llvm-symbolizer.

Usage: Benchmarks/agreement.py BINARY...

For each binary: up to 20,000 functions, their first addresses and one address inside each, with inlined
frames. Prints the share of addresses whose whole answer agrees, and how many differ in which way:

  name        another function, or another name of one at the same address
  unknown     one of the two has no line
  file        the same line of a file that is spelled otherwise
  place       another file, line or column
  inlines     other inlined calls: more, fewer, or others

Environment: FIRSTLIGHT (default .build/release/firstlight), EXAMPLES (how many of each kind to show;
default 0). The peer is the llvm-symbolizer on PATH.
"""

import collections
import os
import random
import subprocess
import sys

COUNT = 20_000


def functions(binary):
    """Start and size of up to COUNT functions, drawn by a fixed sequence."""
    listed = {}
    text = subprocess.run(["nm", "-S", "--defined-only", binary], capture_output=True, text=True)
    if not text.stdout:
        text = subprocess.run(["nm", "-DS", "--defined-only", binary], capture_output=True, text=True)
    for line in text.stdout.splitlines():
        words = line.split()
        if len(words) >= 4 and words[2] in "tTwWi" and int(words[1], 16):
            listed[int(words[0], 16)] = int(words[1], 16)
    drawn = random.Random(42).sample(sorted(listed), min(COUNT, len(listed)))
    return [(start, listed[start]) for start in drawn]


def answers(command, addresses):
    """For each address its frames: (function, file, line, column)."""
    given = "".join(f"0x{address:x}\n" for address in addresses)
    output = subprocess.run(command, input=given, capture_output=True, text=True, errors="replace")
    found = []
    for block in output.stdout.split("\n\n"):
        lines = block.split("\n")
        if not lines[0]:
            continue
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, line, column = place.rsplit(":", 2)
            frames.append((name, normal(file, line), line, column))
        found.append(frames)
    if len(found) != len(addresses):
        sys.exit(f"agreement.py: {command[0]} answered {len(found)} of {len(addresses)} addresses: "
                 f"{output.stderr.strip()[:200]}")
    return found


def normal(file, line):
    """llvm-symbolizer puts a folder before <compiler-generated>, and names the object file of
    functions that have no lines."""
    if file.endswith("<compiler-generated>"):
        return "<compiler-generated>"
    return "??" if line == "0" and "/" not in file else file


def kind(ours, theirs):
    """How two answers differ; None if they agree."""
    if ours == theirs:
        return None
    if len(ours) != len(theirs) or [f[0] for f in ours[:-1]] != [f[0] for f in theirs[:-1]]:
        return "inlines"
    if ours[-1][0] != theirs[-1][0]:
        return "name"
    for one, other in zip(ours, theirs):
        if one == other:
            continue
        if "??" in (one[1], other[1]):
            return "unknown"
        if one[2:] == other[2:] and os.path.basename(one[1]) == os.path.basename(other[1]):
            return "file"
        return "place"
    return "place"


def main():
    firstlight = os.environ.get("FIRSTLIGHT", ".build/release/firstlight")
    examples = int(os.environ.get("EXAMPLES", "0"))
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for binary in sys.argv[1:]:
        drawn = functions(binary)
        inner = random.Random(43)
        for what, addresses in (
            ("entries", [start for start, _ in drawn]),
            ("interiors", [start + inner.randrange(size) for start, size in drawn]),
        ):
            ours = answers(
                [firstlight, "symbolize", "--binary", binary, "--inlines", "--mangled"], addresses)
            theirs = answers(
                ["llvm-symbolizer", f"--obj={binary}", "--inlines", "--no-demangle"], addresses)
            kinds = collections.Counter()
            for address, one, other in zip(addresses, ours, theirs):
                difference = kind(one, other)
                if difference is None:
                    continue
                kinds[difference] += 1
                if kinds[difference] <= examples:
                    print(f"  {difference} 0x{address:x}\n    ours   {one}\n    theirs {other}")
            equal = len(addresses) - sum(kinds.values())
            told = ", ".join(f"{count} {name}" for name, count in kinds.most_common())
            print(f"{os.path.basename(binary):24s} {what:10s} {len(addresses):6d}  "
                  f"{100 * equal / max(1, len(addresses)):7.3f}%  {told}", flush=True)


if __name__ == "__main__":
    main()
