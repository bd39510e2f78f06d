"""wait.py LEDGER PATH: makes a host's ledger as an earlier version leaves it, with a batch of one trace in its outbox,
plain and with the path of its program."""

import sqlite3
import sys

from formats import *

ledger = sqlite3.connect(sys.argv[1])
made = former_batch([trace([former_image("cd" * 20, sys.argv[2], 4, 1_790_000_000.0, [0])], 1_790_000_000.0,
                           b"waits".ljust(16), calls=order([0]), call_count=1)])
ledger.executescript("""
    PRAGMA journal_mode = wal;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('1'), ('sparse sets'), ('uptime'), ('run spans'), ('audit');
    CREATE TABLE done (stem TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT, made_at REAL NOT NULL, traces INTEGER NOT NULL, batch BLOB NOT NULL,
      made_uptime REAL NOT NULL DEFAULT 0
    );
    CREATE TABLE run_count (
      run TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL, guards BLOB NOT NULL,
      sparse INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE family (
      process TEXT PRIMARY KEY, root TEXT NOT NULL, run TEXT NOT NULL, touched REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX family_by_run ON family (run);
    CREATE TABLE host_count (
      labels TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL, guards BLOB NOT NULL,
      sparse INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (labels, build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE sample_limit (
      build_id TEXT NOT NULL, recorder TEXT NOT NULL, family INTEGER NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE uptime (seconds REAL NOT NULL);
    INSERT INTO uptime VALUES (0);
    CREATE TABLE run_span (run TEXT PRIMARY KEY, start REAL NOT NULL, "end" REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL);
    """)
ledger.execute("INSERT INTO outbox (made_at, traces, batch) VALUES (?, 1, ?)", (time.time(), made))
ledger.commit()
