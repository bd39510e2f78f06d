import FirstlightModel
import Glibc

/// Where the daemon keeps a store that nobody named.
enum StateDirectory {
  /// systemd's STATE_DIRECTORY, else `firstlight` in XDG_STATE_HOME (XDG Base Directory
  /// Specification), which is made.
  /// - Throws: `.usage` if there is no such place.
  static func defaultStore() throws(Failure) -> StoreAddress {
    if let state = variable("STATE_DIRECTORY")?.split(separator: ":").first {
      return .sqlite(path: "\(state)/fleet.sqlite")
    }
    guard let base = variable("XDG_STATE_HOME") ?? variable("HOME").map({ "\($0)/.local/state" })
    else {
      throw Failure(.usage, "there is no place for a store", advice: "name one with --store")
    }
    let directory = "\(base)/firstlight"
    var made = ""
    for part in directory.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw Failure(
          .cannotCreate, "\(made): cannot be made: \(String(cString: strerror(errno)))",
          advice: "name a store with --store")
      }
    }
    return .sqlite(path: "\(directory)/fleet.sqlite")
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
