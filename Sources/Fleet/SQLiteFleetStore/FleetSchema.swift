import FleetModel
import SQLiteSupport

/// The tables of a fleet's SQLite store. Documentation/Fleet.md explains them.
enum FleetSchema {
  /// The application id is "FLF1" as a number, which distinguishes a store from a profile. The version
  /// rises when a table changes.
  static let format = DatabaseFormat(
    applicationID: 0x464c_4631, version: 10, noun: "store",
    tables: builds + states + samples + records)

  /// A build has a row for each number of guards claimed for it.
  ///
  /// `build_name` has the names of a build's file, with the runs that were ever reported under each. The name of
  /// most runs is also in `build.program`, its path in `build.path`.
  ///
  /// `function_table.functions` is encoded as `BuildReading`, `proof` a number of `TableProof`, and `registered` the
  /// day on which the table arrived, by the receiver's clock.
  private static let builds = """
    CREATE TABLE build (
      id INTEGER PRIMARY KEY,
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      program TEXT NOT NULL,
      path TEXT NOT NULL,
      executable INTEGER NOT NULL,
      guards INTEGER NOT NULL,
      -- As a program: traces of larger families are not sampled. Null: all are. Never rises.
      sample_limit INTEGER,
      UNIQUE (build_id, recorder, guards)
    );
    CREATE INDEX build_by_program ON build (program, build_id, recorder);
    CREATE TABLE build_name (
      build INTEGER NOT NULL REFERENCES build(id),
      program TEXT NOT NULL,
      path TEXT NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (build, program)
    ) WITHOUT ROWID;
    CREATE INDEX build_name_by_program ON build_name (program, build);
    CREATE TABLE function_table (
      build INTEGER PRIMARY KEY REFERENCES build(id),
      proof INTEGER NOT NULL,
      registered INTEGER NOT NULL,
      functions BLOB NOT NULL
    );
    CREATE TABLE caller (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, address INTEGER NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;

    """

  /// `state` has a row for each publisher and `StateKey`; a series with a row of `PublisherID.closedDay` has
  /// no other row. `row_version` is in the form of `SortableHash`, `received` the last day on which a newer
  /// version arrived, by the receiver's clock, `called` the number of called functions. `times` is an encoded
  /// row without functions, `called.functions` an encoded row without start-up times. They are separate since
  /// lists of builds read neither, and functions take a hundred times more space than the rest.
  ///
  /// `first_open_day` has one row.
  private static let states = """
    CREATE TABLE state (
      id INTEGER PRIMARY KEY,
      build INTEGER NOT NULL REFERENCES build(id),
      day INTEGER NOT NULL,
      version TEXT NOT NULL,
      labels TEXT NOT NULL,
      publisher BLOB NOT NULL,
      row_version INTEGER NOT NULL,
      received INTEGER NOT NULL,
      called INTEGER NOT NULL,
      \(SeriesTotals.counts.map { "\($0.column) INTEGER NOT NULL," }.joined(separator: " "))
      seconds REAL NOT NULL,
      times BLOB NOT NULL,
      UNIQUE (build, day, version, labels, publisher)
    );
    CREATE INDEX state_by_day ON state (day, build, received);
    CREATE INDEX open_state ON state (day, received) WHERE \(isOpen);
    CREATE TABLE called (
      state INTEGER PRIMARY KEY REFERENCES state(id) ON DELETE CASCADE,
      functions BLOB NOT NULL
    );
    CREATE TABLE first_open_day (day INTEGER NOT NULL);
    INSERT INTO first_open_day VALUES (0);

    """

  /// The condition that a row of `state` belongs to a publisher and is not the sum of a closed day.
  static let isOpen = "publisher <> zeroblob(32)"

  /// `day` is the day on which the trace began, by its own clock.
  private static let samples = """
    CREATE TABLE sampled_trace (
      id INTEGER PRIMARY KEY,
      program INTEGER NOT NULL REFERENCES build(id),
      publisher BLOB NOT NULL,
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      family INTEGER NOT NULL,
      day INTEGER NOT NULL,
      trace BLOB NOT NULL,
      UNIQUE (program, publisher, high, low)
    );
    CREATE INDEX sampled_trace_by_family ON sampled_trace (program, family);
    CREATE TABLE sampled_image (
      build INTEGER NOT NULL REFERENCES build(id),
      trace INTEGER NOT NULL REFERENCES sampled_trace(id) ON DELETE CASCADE,
      PRIMARY KEY (build, trace)
    ) WITHOUT ROWID;
    CREATE INDEX sampled_image_by_trace ON sampled_image (trace);

    """

  /// `read_failure.file` is `ReadFailure.file`, `at` seconds since 1970. `contradiction` has the first file that
  /// contradicted a build's table. `dropped` lists removals by retention, even of builds that no longer exist.
  /// `audit` records removals.
  private static let records = """
    CREATE TABLE read_failure (
      build INTEGER NOT NULL REFERENCES build(id),
      file TEXT NOT NULL,
      reason TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (build, file)
    ) WITHOUT ROWID;
    CREATE INDEX read_failure_by_file ON read_failure (file);
    CREATE TABLE contradiction (
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      reason TEXT NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE dropped (
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      program TEXT NOT NULL,
      before INTEGER NOT NULL,
      reason TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL);
    """
}
