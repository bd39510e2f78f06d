"""Sets the verdicts of `firstlight dead` against llvm-cov or gcov, function by function.

dead_oracle.py VERDICTS.json COVERAGE.json SOURCES [BINARY...]

VERDICTS  firstlight dead --all --format json
COVERAGE  llvm-cov export --format=text of the same program, built with source coverage and run alike; or
          gcov --json-format --stdout of its files, one object a line
SOURCES   folder whose files count; for gcov a pattern of their paths within the folder of its build
BINARY    the recorded files: of the functions that have a symbol there and never ran, prints how many are
          listed, and the others by reason. Functions that share a row count together

Prints how they agree; ends with 1 if a function that ran is said to be never called.
"""

import collections
import json
import os
import re
import subprocess
import sys

verdicts_path, coverage_path, sources, *binaries = [word for word in sys.argv[1:] if word != "-v"]
verdicts = json.load(open(verdicts_path))
CLONE = re.compile(r"\.(constprop|isra|lto_priv|llvm)\b.*")
LISTED = ("never called", "kept", "dropped")


def symbols():
    """Each function's linker name with the name of the file that debug information gives for its start."""
    for binary in binaries:
        found = [line.split(" ", 2) for line in run(["nm", binary]).splitlines() if not line.startswith(" ")]
        found = [(address, CLONE.sub("", name)) for address, kind, name in found if kind in "tTwWi"]
        places = run(["addr2line", "-e", binary], "\n".join(address for address, _ in found)).splitlines()
        for (_, name), place in zip(found, places):
            yield name, os.path.basename(place.split(":")[0])


def run(words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def share(rows):
    """Prints how many never-run functions of the binaries are listed. `rows`: by function its row, or None, and
    whether it ran."""
    reasons = collections.Counter()
    wrong = []
    for key, (row, count) in rows.items():
        if count and row and row["verdict"] in LISTED:
            wrong.append(key)
        elif not count:
            reasons["listed" if row and row["verdict"] in LISTED else row["reason"] if row else "no row"] += 1
    never = sum(reasons.values())
    listed = reasons.pop("listed", 0)
    others = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    print(f"in the binary and never ran {never}, listed {listed} ({100 * listed / max(never, 1):.1f}%), "
          f"wrong {len(wrong)}; others: {others or 'none'}")
    for key in wrong:
        print("WRONG", key)
    return wrong


def against_gcov(lines):
    counts = collections.Counter()
    for line in lines:
        unit = json.loads(line)
        for file in unit["files"]:
            path = os.path.normpath(os.path.join(unit["current_working_directory"], file["file"]))
            for function in file["functions"]:
                counts[function["name"], path] += function["execution_count"]
    root = os.path.commonpath([path for _, path in counts if not path.startswith("/usr/")])
    rows = {}
    for function in verdicts["functions"]:
        for piece in function["pieces"]:
            rows.setdefault((CLONE.sub("", piece["mangledName"]), os.path.basename(function.get("file") or "")), function)
    existing = set(symbols())
    found = {}
    for (name, path), count in sorted(counts.items()):
        key = name, os.path.basename(path)
        if key in existing and path.startswith(root) and re.search(sources, path[len(root):]):
            found[name, path] = rows.get(key), count
    sys.exit(1 if share(found) else 0)


text = open(coverage_path).read()
if not text.startswith('{"data"'):
    against_gcov(line for line in text.splitlines() if line.strip())
coverage = json.loads(text)

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
if binaries:
    existing = {name for name, _ in symbols()}
    together = {}
    for name, count in executed.items():
        row = by_name[name][0][0] if name in by_name else None
        key = row["identity"] if row else name
        # What sets a stored property has no declaration of a function.
        if not name.endswith("pfi"):
            known = together.get(key, (row, 0, False))
            together[key] = row, known[1] + count, known[2] or name in existing
    wrong += share({key: (row, count) for key, (row, count, exists) in together.items() if exists})
sys.exit(1 if wrong else 0)
