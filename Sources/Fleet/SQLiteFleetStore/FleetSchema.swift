import FleetModel
import SQLiteSupport

/// The tables of a fleet's SQLite store. Documentation/Fleet.md explains them.
enum FleetSchema {
  /// The application id is "FLF1" as a number, which distinguishes a store from a profile. The version
  /// rises when a table changes.
  static let format = DatabaseFormat(
    applicationID: 0x464c_4631, version: 14, noun: "store",
    tables: builds + states + samples + records + sums)

  /// A build has a row for each number of guards claimed for it, with the sums of its rows in `state`, so that lists
  /// of builds read none of these.
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
      row_count INTEGER NOT NULL DEFAULT 0,
      sum_called INTEGER NOT NULL DEFAULT 0,
      \(SeriesTotals.counts.map { "sum_\($0.column) INTEGER NOT NULL DEFAULT 0," }.joined(separator: " "))
      -- Whole numbers, so that what is added and taken away again leaves no rest.
      sum_microseconds REAL NOT NULL DEFAULT 0,
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
    CREATE TABLE build_version (
      build INTEGER NOT NULL REFERENCES build(id),
      version TEXT NOT NULL,
      row_count INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (build, version)
    ) WITHOUT ROWID;
    -- Encoded by `CallerCoding`.
    CREATE TABLE caller (
      build INTEGER PRIMARY KEY REFERENCES build(id),
      addresses BLOB NOT NULL
    );

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

  /// Keeps the sums of `build` and `build_version`, whatever adds, changes or removes rows of `state`.
  private static let sums: String = {
    let most = TraceLimits.sum
    func changes(_ added: String?, _ removed: String?) -> String {
      func change(_ column: String, _ value: (String) -> String) -> String {
        column + (added.map { " + \(value($0))" } ?? "") + (removed.map { " - \(value($0))" } ?? "")
      }
      let counts = (["called"] + SeriesTotals.counts.map(\.column)).map { column in
        "sum_\(column) = max(0, min(\(most), \(change("sum_" + column) { "\($0).\(column)" })))"
      }
      let microseconds = change("sum_microseconds") { "round(\($0).seconds * 1e6)" }
      return (counts + ["sum_microseconds = \(microseconds)"]).joined(separator: ", ")
    }
    let columns = ["called", "seconds"] + SeriesTotals.counts.map(\.column)
    return """
      CREATE TRIGGER state_added AFTER INSERT ON state BEGIN
        UPDATE build SET row_count = row_count + 1, \(changes("new", nil)) WHERE id = new.build;
        INSERT INTO build_version VALUES (new.build, new.version, 1, new.runs)
          ON CONFLICT DO UPDATE SET row_count = row_count + 1,
            runs = min(\(most), runs + excluded.runs);
      END;
      CREATE TRIGGER state_changed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON state BEGIN
        UPDATE build SET \(changes("new", "old")) WHERE id = new.build;
        UPDATE build_version SET runs = max(0, min(\(most), runs + new.runs - old.runs))
          WHERE build = new.build AND version = new.version;
      END;
      CREATE TRIGGER state_removed AFTER DELETE ON state BEGIN
        UPDATE build SET row_count = row_count - 1, \(changes(nil, "old")) WHERE id = old.build;
        UPDATE build_version SET row_count = row_count - 1, runs = max(0, runs - old.runs)
          WHERE build = old.build AND version = old.version;
        DELETE FROM build_version
          WHERE build = old.build AND version = old.version AND row_count = 0;
      END;

      """
  }()

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
