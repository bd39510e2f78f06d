import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// A profile on disk: one self-contained SQLite file.
package enum ProfileFile {
  /// The path's extension, by convention.
  package static let pathExtension = "flp"

  /// Writes a profile through `ResultFile`.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func write(_ profile: Profile, to path: String) throws(Failure) {
    do {
      try ProfileWriter.database(of: profile).withContents { try ResultFile.write($0, to: path) }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.unavailable, "\(path): cannot create the profile: \(reason(error))")
    }
  }

  /// The contents of a profile file.
  ///
  /// - Throws: `Failure` of kind `unavailable` if there is not enough memory.
  package static func bytes(of profile: Profile) throws(Failure) -> [UInt8] {
    do { return try ProfileWriter.database(of: profile).withContents { Array($0) } } catch {
      throw Failure(.unavailable, "cannot create the profile: \(reason(error))")
    }
  }

  /// Reads a profile.
  ///
  /// - Parameter path: `-` is standard input.
  /// - Throws: `Failure` of kind `noInput` if the file does not exist, `data` if it is not a
  ///   profile, is damaged, or has another format.
  package static func read(_ path: String) throws(Failure) -> Profile {
    try read(path) { try $0.read() }
  }

  /// Reads a profile's builds with their coverage, and only the sums of runs and processes: memory
  /// use grows with the file, but not with what each run takes when it is read.
  ///
  /// - Parameter eachRun: called with each run's id.
  /// - Throws: as `read`.
  package static func readSums(
    _ path: String, eachRun: (String) -> Void = { _ in }
  ) throws(Failure) -> Profile {
    try read(path) { try $0.readSums(eachRun: eachRun) }
  }

  /// Reads a profile that was received as bytes.
  ///
  /// - Throws: as `read(_:)`.
  package static func read(bytes: [UInt8]) throws(Failure) -> Profile {
    try read(bytes, "the received profile") { try $0.read() }
  }

  private static func read(
    _ path: String, _ body: (ProfileReader) throws -> Profile
  ) throws(Failure) -> Profile {
    if path == "-" { return try read(try standardInput(), "standard input", body) }
    let file = try RegularFile(path: path, followsLinks: true)
    // A large file of another kind is not read whole.
    try checkIsProfile(try file.bytes(count: headSize), path)
    let size = try file.size()
    guard size <= FileContents.largest else {
      throw Failure(.data, "\(path): too large for a profile", advice: "merge fewer runs")
    }
    return try read(try file.bytes(count: size), path, body)
  }

  private static func read(
    _ bytes: [UInt8], _ name: String, _ body: (ProfileReader) throws -> Profile
  ) throws(Failure) -> Profile {
    try checkIsProfile(bytes, name)
    do {
      let database = try ProfileDatabase(contents: bytes)
      try database.execute("PRAGMA trusted_schema = OFF")
      return try withExtendedLifetime(database) {
        try body(ProfileReader(path: name, database: database.pointer))
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(
        .data, "\(name): damaged profile: \(reason(error))", advice: "record it again")
    }
  }

  private static func standardInput() throws(Failure) -> [UInt8] {
    do { return try FileContents.readStream("/dev/stdin") } catch {
      throw Failure(.noInput, "standard input: \(error.text)")
    }
  }

  /// Size of SQLite's header (https://www.sqlite.org/fileformat2.html#the_database_header).
  private static let headSize = 100

  /// Checks the file's first bytes before SQLite does, for an error that names the kind of file.
  private static func checkIsProfile(_ head: [UInt8], _ name: String) throws(Failure) {
    guard head.count >= headSize,
      head.starts(with: Array("SQLite format 3\0".utf8)),
      number(head, 68) == ProfileSchema.applicationID
    else {
      throw Failure(
        .data, "\(name): not a Firstlight profile",
        advice: "create one with firstlight record -o FILE.flp -- COMMAND")
    }
    let version = number(head, 60)
    guard version == ProfileSchema.version else {
      throw Failure(
        .data,
        "\(name): profile format \(version); this firstlight reads format \(ProfileSchema.version)",
        advice: "use the firstlight that recorded it, or record it again")
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int) -> Int32 {
    bytes[at..<at + 4].reduce(0) { $0 << 8 | Int32($1) }
  }

  private static func reason(_ error: any Error) -> String {
    // SQLite quotes invalid content in its messages.
    oneLine("\(error)")
  }
}

/// Makes text from a file safe for one line of a message: without line breaks and control
/// characters.
func oneLine(_ text: String) -> String {
  text.unicodeScalars.split { $0.value < 0x21 || (0x7f..<0xa0).contains($0.value) }
    .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
}
