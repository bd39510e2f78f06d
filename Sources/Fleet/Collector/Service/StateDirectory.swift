import FirstlightModel
import Glibc

/// Default places for the daemon's data.
enum StateDirectory {
  /// - Throws: as `made()`.
  static func defaultStore() throws(Failure) -> StoreAddress {
    .sqlite(path: try made() + "/fleet.sqlite")
  }

  /// systemd's STATE_DIRECTORY, or the user's state directory, which is created.
  /// - Throws: `.usage` if there is no such place, `.cannotCreate` if it cannot be created.
  static func made() throws(Failure) -> String {
    if let state = StatePath.ofThisService { return state }
    guard let directory = StatePath.ofThisUser else {
      throw Failure(
        .usage, "no state directory", advice: "set HOME, or choose a store with --store")
    }
    var made = ""
    for part in directory.split(at: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw Failure(
          .cannotCreate, "\(made): cannot be created: \(ErrorText.of(errno))",
          advice: "choose a store with --store")
      }
    }
    return directory
  }
}
