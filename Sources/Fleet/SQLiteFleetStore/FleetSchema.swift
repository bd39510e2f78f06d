import GRDB
import ProfileFile

/// The tables of a fleet's SQLite store, created by numbered migrations. Documentation/Fleet.md
/// explains the tables.
enum FleetSchema {
  /// "FLF1" as a number: SQLite's application id, which distinguishes a store from a profile.
  static let applicationID: Int32 = 0x464c_4631

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: first)
      try database.execute(sql: ProfileSchema.functions)
    }
    migrator.registerMigration("2") { database in try database.execute(sql: stages) }
    migrator.registerMigration("3") { database in try database.execute(sql: readFailures) }
    migrator.registerMigration("4") { database in try database.execute(sql: variants) }
    migrator.registerMigration("5") { database in
      try database.execute(sql: retention)
      try fillArrivals(in: database)
      try fillSampleDays(in: database)
    }
    migrator.registerMigration("6") { database in
      // The first migration already uses the current names.
      for table in ["function", "unguarded"]
      where try database.columns(in: table).contains(where: { $0.name == "compiler_made" }) {
        try database.execute(
          sql: "ALTER TABLE \(table) RENAME COLUMN compiler_made TO compiler_generated")
      }
    }
    migrator.registerMigration("7") { database in
      try database.execute(sql: states)
      try EarlierSums(database).move()
    }
    migrator.registerMigration("8") { database in
      try database.execute(sql: names)
      try database.execute(sql: proofs)
    }
    return migrator
  }

  /// `build_name` has the names of a build's file, with the runs that were ever reported under each. The name of
  /// most runs is also in `build.program`, its path in `build.path`.
  private static let names = """
    CREATE TABLE build_name (
      build INTEGER NOT NULL REFERENCES build(id),
      program TEXT NOT NULL,
      path TEXT NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (build, program)
    ) WITHOUT ROWID;
    CREATE INDEX build_name_by_program ON build_name (program, build);
    INSERT INTO build_name SELECT id, program, path, 0 FROM build WHERE program <> '';
    """

  /// `build.proof` is a number of `TableProof`; null without a function table. `contradiction` has the first file
  /// that contradicted a build's table.
  private static let proofs = """
    ALTER TABLE build ADD COLUMN proof INTEGER;
    UPDATE build SET proof = confirmed WHERE architecture IS NOT NULL;
    ALTER TABLE build DROP COLUMN confirmed;
    CREATE TABLE contradiction (
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      reason TEXT NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    """

  /// Numbers of `FleetDay`. By the receiver's clock: `series.received` is the last day on which traces
  /// arrived, `build.registered` that of the function table. By the trace's clock: `sampled_trace.day` is
  /// the day on which it began. `dropped` lists removals by retention, even of builds that no longer exist.
  private static let retention = """
    ALTER TABLE series ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX series_by_day ON series (day);
    ALTER TABLE build ADD COLUMN registered INTEGER;
    UPDATE build SET registered = strftime('%s', 'now') / 86400
      WHERE architecture IS NOT NULL AND id NOT IN (SELECT build FROM series);
    ALTER TABLE sampled_trace ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE dropped (
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      program TEXT NOT NULL,
      before INTEGER NOT NULL,
      reason TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (build_id, recorder)
    ) WITHOUT ROWID;
    """

  /// A build has a row for each number of guards claimed for it. `confirmed`: a trusted binary has
  /// this number. `audit` records actions of administrators.
  private static let variants = """
    CREATE TABLE new_build (
      id INTEGER PRIMARY KEY,
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      program TEXT NOT NULL,
      path TEXT NOT NULL,
      executable INTEGER NOT NULL,
      guards INTEGER NOT NULL,
      sample_limit INTEGER,
      architecture TEXT,
      has_symbols INTEGER,
      has_debug_info INTEGER,
      confirmed INTEGER NOT NULL DEFAULT 0,
      UNIQUE (build_id, recorder, guards)
    );
    INSERT INTO new_build SELECT id, build_id, recorder, program, path, executable, guards,
      sample_limit, architecture, has_symbols, has_debug_info, 0 FROM build;
    DROP TABLE build;
    ALTER TABLE new_build RENAME TO build;
    CREATE INDEX build_by_program ON build (program, build_id, recorder);
    CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL);
    """

  /// `file` is `ReadFailure.file`, `at` seconds since 1970.
  private static let readFailures = """
    CREATE TABLE read_failure (
      build INTEGER NOT NULL REFERENCES build(id),
      file TEXT NOT NULL,
      reason TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (build, file)
    ) WITHOUT ROWID;
    CREATE INDEX read_failure_by_file ON read_failure (file);
    """

  /// `bucket` is a bucket of `StageHistograms`.
  private static let stages = """
    CREATE TABLE stage (
      series INTEGER NOT NULL REFERENCES series(id),
      kind TEXT NOT NULL,
      bucket INTEGER NOT NULL,
      starts INTEGER NOT NULL,
      PRIMARY KEY (series, kind, bucket)
    ) WITHOUT ROWID;
    """

  /// Functions are stored as in profiles, in the same tables (`ProfileSchema.functions`).
  private static let first = """
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
      -- Null as long as nobody gave it a function table.
      architecture TEXT,
      has_symbols INTEGER,
      has_debug_info INTEGER,
      UNIQUE (build_id, recorder)
    );
    CREATE INDEX build_by_program ON build (program, build_id, recorder);
    CREATE TABLE body (
      build INTEGER NOT NULL, address INTEGER NOT NULL, size INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (build, address, name)
    ) WITHOUT ROWID;
    CREATE TABLE caller (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, address INTEGER NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE series (
      id INTEGER PRIMARY KEY,
      build INTEGER NOT NULL REFERENCES build(id),
      day INTEGER NOT NULL,
      version TEXT NOT NULL,
      labels TEXT NOT NULL,
      runs INTEGER NOT NULL,
      hosts INTEGER NOT NULL,
      program_runs INTEGER NOT NULL,
      processes INTEGER NOT NULL,
      seconds REAL NOT NULL,
      drops INTEGER NOT NULL,
      uncommitted INTEGER NOT NULL,
      lost_images INTEGER NOT NULL,
      unreadable_segments INTEGER NOT NULL,
      UNIQUE (build, day, version, labels)
    );
    CREATE TABLE coverage (
      series INTEGER NOT NULL REFERENCES series(id),
      guard INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      hosts INTEGER NOT NULL,
      first_seen REAL NOT NULL,
      last_seen REAL NOT NULL,
      PRIMARY KEY (series, guard)
    ) WITHOUT ROWID;
    CREATE TABLE startup (
      series INTEGER NOT NULL REFERENCES series(id),
      bucket INTEGER NOT NULL,
      starts INTEGER NOT NULL,
      PRIMARY KEY (series, bucket)
    ) WITHOUT ROWID;
    CREATE TABLE known_trace (
      high INTEGER NOT NULL, low INTEGER NOT NULL, day INTEGER NOT NULL,
      PRIMARY KEY (high, low)
    ) WITHOUT ROWID;
    CREATE TABLE sampled_trace (
      id INTEGER PRIMARY KEY,
      program INTEGER NOT NULL REFERENCES build(id),
      family INTEGER NOT NULL,
      trace BLOB NOT NULL
    );
    CREATE INDEX sampled_trace_by_family ON sampled_trace (program, family);
    CREATE TABLE sampled_image (
      build INTEGER NOT NULL REFERENCES build(id),
      trace INTEGER NOT NULL REFERENCES sampled_trace(id) ON DELETE CASCADE,
      PRIMARY KEY (build, trace)
    ) WITHOUT ROWID;
    CREATE INDEX sampled_image_by_trace ON sampled_image (trace);
    """
}
