import Foundation

/// How much a test of endurance does: little in Scripts/test, all of it in Scripts/soak.
enum Soak {
  static let isOn = ProcessInfo.processInfo.environment["FIRSTLIGHT_SOAK"] == "yes"

  static func count(_ short: Int, soak long: Int) -> Int { isOn ? long : short }
}
