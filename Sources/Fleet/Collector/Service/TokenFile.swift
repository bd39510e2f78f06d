import BuildReader
import FirstlightModel
import FleetModel
import Foundation
import SystemSupport

/// The permissions of a token's holder.
package enum TokenRole: String, Sendable, CaseIterable {
  /// Send the counts of hosts.
  case upload
  /// Send binaries, which name the functions of all hosts.
  case symbols
  /// Query.
  case read
  /// All permissions.
  case admin

  func allows(_ wanted: TokenRole) -> Bool { self == wanted || self == .admin }
}

/// An entry of the token file. It has the token's hash instead of the token.
package struct TokenEntry: Sendable {
  package var id: String
  package var role: TokenRole
  /// `TokenFile.hash` of the token. A slower hash is unnecessary for 256 random bits.
  var hash: String
  var day: String
  package var name: String

  package var line: String {
    "\(id)  \(role.rawValue.padding(toLength: 7, withPad: " ", startingAt: 0))  \(day)  \(name)"
  }
}

extension TokenEntry {
  /// Parses a line of the file; nil if the line is no entry.
  init?(line: Substring) {
    let fields = line.split(at: " ", maxSplits: 4)
    guard !line.utf8.contains(where: \.isControl), fields.count >= 4,
      let role = TokenRole(rawValue: String(fields[1])),
      fields[2].wholeMatch(of: /blake3-[0-9a-f]{64}/) != nil
    else { return nil }
    self.init(
      id: String(fields[0]), role: role, hash: String(fields[2]), day: String(fields[3]),
      name: fields.count > 4 ? String(fields[4]) : "")
  }
}

/// The token file: a line `ID ROLE HASH DAY NAME` for each token.
package struct TokenFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// - Throws: `.noInput` or `.data`, naming the file.
  package func entries() throws(Failure) -> [TokenEntry] {
    let (entries, mistake) = entries(in: try text())
    if let mistake { throw mistake }
    return entries
  }

  /// - Throws: `.noInput`, naming the file.
  func text() throws(Failure) -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw Failure(
        .noInput, "\(path): cannot be read", advice: "create a token with: firstlightd token add")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The entries of a text, and the first invalid line.
  func entries(in text: String) -> ([TokenEntry], mistake: Failure?) {
    var entries: [TokenEntry] = []
    var mistake: Failure?
    for (number, line) in text.lines.enumerated() where !line.isEmpty {
      if let entry = TokenEntry(line: line) {
        entries.append(entry)
      } else if mistake == nil {
        mistake = Failure(
          .data, "\(path):\(number + 1): not a token line", advice: "remove or correct it")
      }
    }
    return (entries, mistake)
  }

  /// Creates a token.
  /// - Returns: the token itself, which is stored nowhere, and its entry.
  /// - Throws: `.cannotCreate` if the file cannot be written.
  package func add(role: TokenRole, name: String) throws(Failure) -> (String, TokenEntry) {
    guard !name.utf8.contains(where: \.isControl) else {
      throw Failure(
        .usage, "the token name contains a line break or another control character",
        advice: "use one line of text")
    }
    let file = try lock(creating: true)
    defer { close(file) }
    var known = try entries()
    let token = Self.newToken()
    let entry = TokenEntry(
      id: String(HexText.of(UInt64.random(in: 0 ... .max)).prefix(8)), role: role,
      hash: Self.hash(token),
      day: FleetDay(of: Clock.realtime()).description, name: name)
    known.append(entry)
    try replace(file, with: known)
    return (token, entry)
  }

  /// - Throws: `.data` if the token does not exist.
  package func revoke(id: String) throws(Failure) {
    let file = try lock(creating: false)
    defer { close(file) }
    let known = try entries()
    let left = known.filter { $0.id != id }
    guard left.count < known.count else {
      throw Failure(
        .data, "\(path): has no token \(id)", advice: "list them with firstlightd token list")
    }
    try replace(file, with: left)
  }

  /// 256 random bits.
  static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return prefix + (0..<4).map { _ in HexText.of(generator.next()) }.joined()
  }

  static func isToken(_ text: String) -> Bool {
    text.begins(with: prefix) && text.utf8.count == prefix.utf8.count + 64
  }

  private static let prefix = "fl_"

  static func hash(_ token: String) -> String {
    "blake3-"
      + HexText.of(ContentHash.of(Array(token.utf8)))
  }

  /// Opens the file and locks it against other changes. A change replaces the file, so a lock counts only for the file
  /// that has the name when it is got.
  /// - Returns: the descriptor, which the caller closes.
  private func lock(creating: Bool) throws(Failure) -> CInt {
    while true {
      let file = open(path, (creating ? O_RDWR | O_CREAT : O_RDWR) | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        if !creating, errno == ENOENT { _ = try text() }
        throw cannotBeWritten
      }
      var (locked, named) = (stat(), stat())
      guard flock(file, LOCK_EX) == 0, fstat(file, &locked) == 0 else {
        defer { close(file) }
        throw cannotBeWritten
      }
      if stat(path, &named) == 0, named.st_ino == locked.st_ino, named.st_dev == locked.st_dev {
        return file
      }
      close(file)
    }
  }

  /// Replaces the file by one of the same owner and permissions: a daemon of another user must be able to read it.
  private func replace(_ file: CInt, with entries: [TokenEntry]) throws(Failure) {
    let text = entries.map { "\($0.id) \($0.role.rawValue) \($0.hash) \($0.day) \($0.name)\n" }
      .joined()
    guard let target = realpath(path, nil) else { throw cannotBeWritten }
    let place = String(cString: target)
    free(target)
    let temporary = place + ".\(getpid()).partial"
    // A leftover of a killed command with this process id; the lock excludes all others.
    unlink(temporary)
    let new = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard new >= 0 else { throw cannotBeWritten }
    var status = stat()
    var bytes = Array(text.utf8)
    let isWritten =
      fstat(file, &status) == 0
      && (fchown(new, status.st_uid, status.st_gid) == 0)
      && fchmod(new, status.st_mode & 0o7777) == 0
      && Foundation.write(new, &bytes, bytes.count) == bytes.count && fsync(new) == 0
    let failure = cannotBeWritten
    guard close(new) == 0, isWritten, rename(temporary, place) == 0 else {
      unlink(temporary)
      throw failure
    }
  }

  private var cannotBeWritten: Failure {
    Failure(
      .cannotCreate, "\(path): cannot be written: \(ErrorText.of(errno))",
      advice: "run firstlightd token as the file's owner")
  }
}
