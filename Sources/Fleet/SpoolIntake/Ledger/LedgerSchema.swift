import SQLiteSupport

/// The tables of a ledger.
enum LedgerSchema {
  /// The application id is "FLL1" as a number.
  static let format = DatabaseFormat(
    applicationID: 0x464c_4c31, version: 2, noun: "ledger", tables: counting + rows)

  /// The counts of the host and its runs. Sets of functions are encoded as `GuardSet`.
  private static let counting = """
    CREATE TABLE done (stem TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE run_count (
      run TEXT NOT NULL, build_id TEXT NOT NULL, recorder TEXT NOT NULL,
      guards BLOB NOT NULL,
      PRIMARY KEY (run, build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE run_span (
      run TEXT PRIMARY KEY, start REAL NOT NULL, "end" REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE family (
      process TEXT PRIMARY KEY, root TEXT NOT NULL, run TEXT NOT NULL, touched REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX family_by_run ON family (run);
    -- The host that counted its functions in `host_count`; no row before the first count.
    CREATE TABLE host (id TEXT NOT NULL);
    CREATE TABLE host_count (
      build_id TEXT NOT NULL, recorder TEXT NOT NULL,
      guards BLOB NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE sample_limit (
      build_id TEXT NOT NULL, recorder TEXT NOT NULL, family INTEGER NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    -- See `IntakeLedger.uptime(notedIn:)`.
    CREATE TABLE uptime (seconds REAL NOT NULL);
    INSERT INTO uptime VALUES (0);

    """

  /// A row's numbers and bytes are separate: sending changes the numbers, counting the bytes.
  ///
  /// Ids are never reused, so that a late answer of a receiver cannot apply to another row. Times
  /// are seconds of uptime (`IntakeLedger.uptime`).
  private static let rows = """
    -- See `LedgerLife`.
    CREATE TABLE life (id INTEGER PRIMARY KEY AUTOINCREMENT, secret BLOB NOT NULL);
    CREATE TABLE state (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      life INTEGER NOT NULL REFERENCES life (id),
      build_id TEXT NOT NULL, recorder TEXT NOT NULL, guards INTEGER NOT NULL,
      day INTEGER NOT NULL, labels TEXT NOT NULL,
      -- The number of changes, and the mark of what the row says (`RowVersion`).
      version INTEGER NOT NULL,
      mark INTEGER NOT NULL,
      -- The version that the receiver has for good; 0: none.
      acknowledged INTEGER NOT NULL DEFAULT 0,
      acknowledged_mark INTEGER NOT NULL DEFAULT 0,
      -- The last version with a function that was new on the host.
      urgent INTEGER NOT NULL,
      -- The version that the receiver refused to read.
      parked INTEGER NOT NULL DEFAULT 0,
      runs INTEGER NOT NULL,
      acknowledged_runs INTEGER NOT NULL DEFAULT 0,
      begun REAL NOT NULL,
      -- When it was last sent, and on which day by the clock; NULL: it is to be sent at once.
      sent REAL,
      sent_day INTEGER,
      -- When the oldest change came that the receiver lacks.
      changed REAL NOT NULL,
      UNIQUE (life, build_id, recorder, guards, day, labels)
    );
    CREATE INDEX state_waiting ON state (id) WHERE version > acknowledged AND version <> parked;
    -- `base`: what the receiver has, if the row has changed since; NULL if it has none of it.
    CREATE TABLE state_data (
      id INTEGER PRIMARY KEY REFERENCES state (id) ON DELETE CASCADE, data BLOB NOT NULL, base BLOB
    );
    CREATE TABLE sample (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      life INTEGER NOT NULL REFERENCES life (id),
      build_id TEXT NOT NULL, recorder TEXT NOT NULL,
      family INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
      -- 1: the receiver has it; -1: it refused to read it.
      acknowledged INTEGER NOT NULL DEFAULT 0,
      data BLOB NOT NULL,
      UNIQUE (build_id, recorder, family, high, low)
    );
    CREATE INDEX sample_waiting ON sample (id) WHERE acknowledged = 0;
    """
}
