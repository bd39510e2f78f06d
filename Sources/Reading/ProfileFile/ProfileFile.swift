import FirstlightModel
import Foundation
import GRDB
import SystemSupport

/// A profile on disk: one SQLite file that answers by itself.
package enum ProfileFile {
  /// The path's extension, by convention.
  package static let pathExtension = "flp"

  /// Writes a profile, as `ResultFile` does.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func write(_ profile: Profile, to path: String) throws(Failure) {
    do {
      try ResultFile.write(to: path) { try ProfileWriter.write(profile, to: $0) }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(
        .cannotCreate, "\(path): cannot write the profile: \(reason(error))",
        advice: "choose another place")
    }
  }

  /// What a file of the profile holds, without one.
  ///
  /// - Throws: `Failure` of kind `unavailable` if there is no memory for it.
  package static func bytes(of profile: Profile) throws(Failure) -> [UInt8] {
    do { return try ProfileWriter.bytes(of: profile) } catch {
      throw Failure(.unavailable, "cannot create the profile: \(reason(error))")
    }
  }

  /// Reads a profile.
  ///
  /// - Throws: `Failure` of kind `noInput` if there is no such file, `data` if it is not a profile,
  ///   is damaged, or is of a newer format.
  package static func read(_ path: String) throws(Failure) -> Profile {
    try read(path) { try $0.read() }
  }

  /// Reads a profile's builds and what was seen of them, and of runs and processes only the sums: the
  /// memory it takes does not grow with the runs.
  ///
  /// - Parameter eachRun: called with each run's id.
  /// - Throws: as `read`.
  package static func readSums(
    _ path: String, eachRun: (String) -> Void = { _ in }
  ) throws(Failure) -> Profile {
    try read(path) { try $0.readSums(eachRun: eachRun) }
  }

  private static func read(
    _ path: String, _ body: (ProfileReader) throws -> Profile
  ) throws(Failure) -> Profile {
    try checkIsProfile(path)
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      return try queue.read { try body(ProfileReader(path: path, database: $0)) }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(
        .data, "\(path): damaged profile: \(reason(error))", advice: "record it again")
    }
  }

  /// Looks at the file's first bytes before SQLite does, for an error that says what the file is.
  private static func checkIsProfile(_ path: String) throws(Failure) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.noInput, "\(path): not a regular file", advice: "use a profile (*.flp)")
    }
    var head = [UInt8](repeating: 0, count: 100)
    guard pread(file, &head, 100, 0) == 100,
      head.starts(with: Array("SQLite format 3\0".utf8)),
      number(head, 68) == ProfileSchema.applicationID
    else {
      throw Failure(
        .data, "\(path): not a Firstlight profile",
        advice: "create one with firstlight record -o FILE.flp -- COMMAND")
    }
    let version = number(head, 60)
    guard ProfileSchema.readableVersions.contains(version) else {
      throw Failure(
        .data,
        "\(path): profile format \(version); this firstlight reads formats "
          + "\(ProfileSchema.readableVersions.lowerBound) to \(ProfileSchema.version)",
        advice: "use the firstlight that recorded it, or record it again")
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int) -> Int32 {
    bytes[at..<at + 4].reduce(0) { $0 << 8 | Int32($1) }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as DatabaseError:
      // SQLite quotes what it stumbles over.
      oneLine(error.message ?? "SQLite error \(error.resultCode.rawValue)")
    default: oneLine("\(error)")
    }
  }
}
