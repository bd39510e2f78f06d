"""sums.py STORE: adds up what the rows of a SQLite store say of each function, from the comments of SeriesStateCoding and
Documentation/Fleet.md, and by nothing of ours. Prints a line for each function that was called: name and runs. With
NAME behind STORE: the source file of that function."""

import collections
import sqlite3
import sys

CLOSED = bytes(32)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def rising(self):
        guards, last = [], 0
        for _ in range(self.number()):
            last += self.number()
            guards.append(last)
        return guards

    def functions(self):
        """The guard, name and file of each function: FunctionTableCoding."""
        self.at += len("FLR2")
        if self.number():
            self.text(), self.text()
        self.number(), self.text(), self.number(), self.text(), self.number(), self.number()
        shared = [None]

        def text():
            place = self.number()
            if place == len(shared):
                shared.append(self.text())
            return shared[place]

        guard = 0
        for _ in range(self.number()):
            flags = self.number()
            is_guarded = flags & 3 == 0
            if is_guarded:
                guard += self.number()
            elif flags & 3 > 1:
                self.rising()
            if flags & 4:
                self.number()
            self.number()
            name = self.text()
            if not flags & 32:
                self.text()
            for _ in range(self.number()):
                self.text()
            text()
            file = text()
            self.number()
            if is_guarded:
                yield guard, name, file


def calls(data):
    """Of each function that was called: in how many runs."""
    row = Reader(data)
    row.text(), row.number(), row.number(), row.number(), row.text(), row.text()
    row.number(), row.text(), row.number()
    runs = [row.number() for _ in range(8)][0]
    row.at += 8
    for _ in range(row.number()):
        row.number(), row.number()
    for _ in range(row.number()):
        row.text()
        for _ in range(row.number()):
            row.number(), row.number()
    guards = row.rising()
    for guard in guards:
        zigzag = row.number()
        yield guard, runs - (zigzag >> 1 ^ -(zigzag & 1))


def rows(store):
    """Keys, publisher and functions of the rows that count: of a closed day only its sum."""
    rows = store.execute(
        "SELECT build, day, version, labels, publisher, functions FROM state JOIN called ON state = state.id"
    ).fetchall()
    closed = {row[:4] for row in rows if row[4] == CLOSED}
    return [row for row in rows if row[4] == CLOSED or row[:4] not in closed]


def main():
    store = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    functions = {
        (build, guard): (name, file)
        for build, data in store.execute("SELECT build, functions FROM function_table")
        for guard, name, file in Reader(data).functions()
    }
    if len(sys.argv) > 2:
        print(next(file for name, file in functions.values() if name == sys.argv[2]))
        return
    sums = collections.Counter()
    for build, *_, data in rows(store):
        for guard, runs in calls(data):
            if (build, guard) in functions:
                sums[functions[build, guard][0]] += runs
    for name, runs in sorted(sums.items()):
        print(name, runs)


if __name__ == "__main__":
    main()
