/// The tables of a profile file, a SQLite database. Documentation/Profiles.md explains them.
package enum ProfileSchema {
  /// "FLP1" as a number: SQLite's application id, which identifies the format to `file` and readers.
  package static let applicationID: Int32 = 0x464c_5031
  /// Raised when a table changes; readers refuse other versions.
  package static let version: Int32 = 11

  static func create(in database: ProfileDatabase) throws {
    try database.execute(
      "\(tables); PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  private static let tables = """
    CREATE TABLE build (
      id INTEGER PRIMARY KEY,
      build_id TEXT NOT NULL,
      recorder TEXT NOT NULL,
      path TEXT NOT NULL,
      kind TEXT NOT NULL,
      architecture TEXT NOT NULL,
      guards INTEGER NOT NULL,
      has_symbols INTEGER NOT NULL,
      has_debug_info INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      UNIQUE (build_id, recorder)
    );
    \(functions)
    CREATE TABLE merged_body (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE coverage (
      build INTEGER NOT NULL REFERENCES build(id),
      guard INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      first_seen REAL NOT NULL,
      last_seen REAL NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE unwatched (
      build INTEGER NOT NULL REFERENCES build(id), guard INTEGER NOT NULL,
      watched INTEGER NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE source (
      build INTEGER NOT NULL REFERENCES build(id), path TEXT NOT NULL, digest INTEGER NOT NULL,
      PRIMARY KEY (build, path)
    ) WITHOUT ROWID;
    CREATE TABLE counted (build INTEGER PRIMARY KEY REFERENCES build(id), runs INTEGER NOT NULL);
    CREATE TABLE counter (
      build INTEGER NOT NULL REFERENCES counted(build),
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      module TEXT NOT NULL,
      file INTEGER NOT NULL REFERENCES file(id),
      line INTEGER NOT NULL,
      local INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      first_seen REAL NOT NULL,
      last_seen REAL NOT NULL,
      PRIMARY KEY (build, id)
    ) WITHOUT ROWID;
    CREATE TABLE run (
      id TEXT PRIMARY KEY,
      command TEXT NOT NULL,
      host TEXT NOT NULL,
      kernel TEXT NOT NULL,
      architecture TEXT NOT NULL,
      processor TEXT NOT NULL,
      cores INTEGER NOT NULL,
      started_at REAL NOT NULL,
      ended_at REAL NOT NULL,
      exit_status INTEGER,
      signal INTEGER,
      ending TEXT,
      problems TEXT NOT NULL,
      attachment TEXT
    ) WITHOUT ROWID;
    CREATE TABLE process (
      run TEXT NOT NULL REFERENCES run(id),
      id TEXT NOT NULL,
      pid INTEGER NOT NULL,
      parent_pid INTEGER NOT NULL,
      forked_from TEXT,
      path TEXT NOT NULL,
      arguments TEXT NOT NULL,
      started_at REAL NOT NULL,
      ready_after REAL,
      drops INTEGER NOT NULL,
      uncommitted INTEGER NOT NULL,
      lost_images INTEGER NOT NULL,
      unreadable_segments INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      trace BLOB NOT NULL,
      returns BLOB,
      launch TEXT,
      left_out INTEGER NOT NULL,
      unrecorded_processes INTEGER NOT NULL,
      running_processes INTEGER NOT NULL,
      PRIMARY KEY (run, id)
    ) WITHOUT ROWID;
    CREATE TABLE counted_process (
      run TEXT NOT NULL,
      process TEXT NOT NULL,
      build_id TEXT NOT NULL,
      functions INTEGER NOT NULL,
      called BLOB NOT NULL,
      PRIMARY KEY (run, process, build_id),
      FOREIGN KEY (run, process) REFERENCES process(run, id)
    ) WITHOUT ROWID;
    CREATE TABLE mark (
      run TEXT NOT NULL,
      process TEXT NOT NULL,
      id INTEGER NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      thread INTEGER NOT NULL,
      time INTEGER NOT NULL,
      duration INTEGER,
      PRIMARY KEY (run, process, id),
      FOREIGN KEY (run, process) REFERENCES process(run, id)
    ) WITHOUT ROWID;
    CREATE TABLE unlisted (
      runs INTEGER NOT NULL,
      processes INTEGER NOT NULL,
      seconds REAL NOT NULL,
      drops INTEGER NOT NULL,
      uncommitted INTEGER NOT NULL,
      lost_images INTEGER NOT NULL,
      unreadable_segments INTEGER NOT NULL,
      unrecorded_processes INTEGER NOT NULL,
      running_processes INTEGER NOT NULL,
      windows INTEGER NOT NULL,
      window_seconds REAL NOT NULL,
      problems TEXT NOT NULL
    );
    CREATE VIEW never_called AS
      SELECT build.build_id, function.guard, function.name, function.module,
        file.path AS file, function.line, function.size
      FROM function
        JOIN build ON build.id = function.build
        LEFT JOIN file ON file.id = function.file
        LEFT JOIN coverage USING (build, guard)
        LEFT JOIN unwatched USING (build, guard)
      WHERE coverage.runs IS NULL AND unwatched.guard IS NULL AND NOT function.compiler_generated;
    """

  /// Functions with their files and names, and functions that no guard covers: those without guard,
  /// inlined ones, and builds that may have such functions.
  package static let functions = """
    CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
    CREATE TABLE function (
      build INTEGER NOT NULL REFERENCES build(id),
      guard INTEGER NOT NULL,
      address INTEGER,
      size INTEGER NOT NULL,
      name TEXT NOT NULL,
      module TEXT NOT NULL,
      file INTEGER REFERENCES file(id),
      line INTEGER NOT NULL,
      compiler_generated INTEGER NOT NULL,
      local INTEGER NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE demangled (
      build INTEGER NOT NULL REFERENCES build(id),
      list TEXT NOT NULL,
      part INTEGER NOT NULL,
      size INTEGER NOT NULL,
      names BLOB NOT NULL,
      PRIMARY KEY (build, list, part)
    ) WITHOUT ROWID;
    CREATE TABLE alias (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (build, guard, name)
    ) WITHOUT ROWID;
    CREATE TABLE unguarded (
      build INTEGER NOT NULL REFERENCES build(id),
      id INTEGER NOT NULL,
      address INTEGER,
      size INTEGER NOT NULL,
      name TEXT NOT NULL,
      module TEXT NOT NULL,
      file INTEGER REFERENCES file(id),
      line INTEGER NOT NULL,
      compiler_generated INTEGER NOT NULL,
      local INTEGER NOT NULL,
      PRIMARY KEY (build, id)
    ) WITHOUT ROWID;
    CREATE TABLE inlined (
      build INTEGER NOT NULL REFERENCES build(id),
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      module TEXT NOT NULL,
      file INTEGER REFERENCES file(id),
      line INTEGER NOT NULL,
      unwatched_host INTEGER NOT NULL,
      PRIMARY KEY (build, id)
    ) WITHOUT ROWID;
    CREATE TABLE inlined_at (
      build INTEGER NOT NULL, id INTEGER NOT NULL, guard INTEGER NOT NULL,
      PRIMARY KEY (build, id, guard)
    ) WITHOUT ROWID;
    CREATE TABLE optimised (build INTEGER PRIMARY KEY REFERENCES build(id));
    """
}
