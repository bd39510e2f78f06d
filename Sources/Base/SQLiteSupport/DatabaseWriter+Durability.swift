import GRDB

extension DatabaseWriter {
  /// Has each commit wait until it is on the disk, so that it survives the loss of power.
  ///
  /// For a database that is open: as it turns to a write-ahead log, GRDB sets `synchronous` to `NORMAL`, after
  /// `Configuration.prepareDatabase`. (https://www.sqlite.org/pragma.html#pragma_synchronous)
  package func syncCommits() throws {
    try writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
  }
}
