import Glibc

/// Where firstlightd keeps its state, for itself and for those who look for it.
package enum StatePath {
  /// Where the packaged unit has systemd put it.
  package static let packaged = "/var/lib/firstlight"

  /// `firstlight` in XDG_STATE_HOME (XDG Base Directory Specification: a relative one does not count);
  /// nil if this user has no home.
  package static var ofThisUser: String? {
    let state = variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let base = state ?? variable("HOME").map { "\($0)/.local/state" }
    return base.map { "\($0)/firstlight" }
  }

  /// What systemd has made for this service; nil if it has not.
  package static var ofThisService: String? {
    variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
