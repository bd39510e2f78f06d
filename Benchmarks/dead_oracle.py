"""Sets the verdicts of `firstlight dead` against llvm-cov, function by function.

dead_oracle.py VERDICTS.json COVERAGE.json SOURCES

VERDICTS  firstlight dead --all --format json
COVERAGE  llvm-cov export --format=text of the same program, built with source coverage and run alike
SOURCES   folder whose files count

Prints how they agree; ends with 1 if a function that llvm-cov saw executed is said to be never called.
"""

import collections
import json
import re
import sys

verdicts_path, coverage_path, sources = sys.argv[1:4]
verdicts = json.load(open(verdicts_path))
coverage = json.load(open(coverage_path))

by_name = collections.defaultdict(list)
for function in verdicts["functions"]:
    for piece in function["pieces"]:
        by_name[piece["mangledName"]].append((function, piece))

# The same function of several object files or images counts once: executed if it was anywhere.
executed = collections.Counter()
files = {}
for data in coverage["data"]:
    for function in data["functions"]:
        if not any(name.startswith(sources) for name in function["filenames"]):
            continue
        # Names local to a file have the file before them.
        name = function["name"].split(";")[-1]
        if ":" in name:
            name = name.rsplit(":", 1)[-1]
        executed[name] += function["count"]
        files[name] = function["filenames"][0]

table = collections.Counter()
wrong = []
for name, count in sorted(executed.items()):
    found = by_name.get(name)
    seen = "executed" if count else "not executed"
    if not found:
        # What is inlined before any code is made, and what only sets a stored property.
        kind = "other"
        if re.search(r"f?u[0-9]*_$", name):
            kind = "autoclosure"
        elif name.endswith("pfi"):
            kind = "initial value"
        table[seen, f"no code: {kind}"] += 1
        if "-v" in sys.argv:
            print("not known:", seen, name)
        continue
    function, piece = found[0]
    table[seen, function["verdict"]] += 1
    if count and function["verdict"] in ("never called", "kept", "dropped"):
        wrong.append((name, function["name"], files[name]))
    if not count and function["verdict"] == "called" and "-v" in sys.argv:
        print("called, llvm-cov no:", piece["kind"], name)

rows = ["called", "never called", "inlined", "not instrumented", "compiler-generated", "dropped", "kept",
        "no code: autoclosure", "no code: initial value", "no code: other"]
print(f"{'':24}{'executed':>10}{'not executed':>14}   (llvm-cov)")
for row in rows:
    print(f"{row:24}{table['executed', row]:>10}{table['not executed', row]:>14}")
dead = [f for f in verdicts["functions"] if f["verdict"] == "never called" and (f.get("file") or "").startswith(sources)]
names = set(executed)
confirmed = sum(1 for f in dead if any(p["mangledName"] in names for p in f["pieces"]))
print(f"{len(dead)} functions never called by us, {confirmed} of them known to llvm-cov, {len(wrong)} executed")
for name, demangled, file in wrong:
    print(f"WRONG {file} {name} {demangled}")
sys.exit(1 if wrong else 0)
