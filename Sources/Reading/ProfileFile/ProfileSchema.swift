/// The tables of a profile file, a SQLite database. Documentation/Profiles.md explains them.
package enum ProfileSchema {
  /// "FLP1" as a number: SQLite's application id, which identifies the format to `file` and readers.
  package static let applicationID: Int32 = 0x464c_5031
  /// Raised when a table changes; readers refuse other versions.
  package static let version: Int32 = 12

  static func create(in database: ProfileDatabase) throws {
    try database.execute(
      "\(tables) PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  private static let tables =
    BuildColumn.creation + names + FunctionColumn.creation + lists + CoverageColumn.creation
    + CounterColumn.creation + RunColumn.creation + ProcessColumn.creation
    + CountedProcessColumn.creation + MarkColumn.creation + UnlistedColumn.creation + views

  /// What many functions share. A name's readable form is in `demangled`.
  private static let names = """
    CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL);
    CREATE TABLE module (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE name (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, module INTEGER NOT NULL REFERENCES module(id)
    );
    CREATE TABLE demangled (
      part INTEGER PRIMARY KEY, size INTEGER NOT NULL, names BLOB NOT NULL
    );

    """

  /// What a build has many or few of.
  private static let lists = """
    CREATE TABLE alias (
      build INTEGER NOT NULL, function INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (build, function, name)
    ) WITHOUT ROWID;
    CREATE TABLE copy (
      build INTEGER NOT NULL, function INTEGER NOT NULL, guard INTEGER NOT NULL,
      PRIMARY KEY (build, function, guard)
    ) WITHOUT ROWID;
    CREATE TABLE merged_body (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE unwatched (
      build INTEGER NOT NULL, guard INTEGER NOT NULL, watched INTEGER NOT NULL,
      PRIMARY KEY (build, guard)
    ) WITHOUT ROWID;
    CREATE TABLE source (
      build INTEGER NOT NULL, path TEXT NOT NULL, digest INTEGER NOT NULL,
      PRIMARY KEY (build, path)
    ) WITHOUT ROWID;

    """

  private static let views = """
    CREATE VIEW guarded AS
      SELECT function.build, function.id AS guard, name.name, module.name AS module,
        file.path AS file, function.line, function.address, function.size,
        function.compiler_generated, function.local
      FROM function
        JOIN name ON name.id = function.name
        JOIN module ON module.id = name.module
        LEFT JOIN file ON file.id = function.file
      WHERE function.code = \(FunctionCode.guarded.rawValue);
    CREATE VIEW never_called AS
      SELECT build.build_id, guard, name, module, file, line, size
      FROM guarded
        JOIN build ON build.id = guarded.build
        LEFT JOIN coverage USING (build, guard)
        LEFT JOIN unwatched USING (build, guard)
      WHERE coverage.runs IS NULL AND unwatched.watched IS NULL AND NOT compiler_generated;
    """
}

/// `function.code`.
enum FunctionCode: Int {
  case guarded, unguarded
  /// In functions with a guard alone, and in others, too.
  case copies, copiesInUnknownHost
  case counted
}
