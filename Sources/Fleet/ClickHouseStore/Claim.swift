import FirstlightModel
import FleetModel

/// A claim about a build's number of guards: rows with different claims are kept apart.
struct Claim: Hashable, Comparable {
  var build: BuildKey
  var guards: Int

  init(_ build: BuildKey, guards: Int) {
    self.build = build
    self.guards = guards
  }

  init(_ key: StateKey) { self.init(key.build, guards: key.guardCount) }

  /// One word, as in `samples.builds`.
  var text: String { "\(build.buildID)/\(build.recorder.rawValue)/\(guards)" }

  /// Nil if the text is invalid.
  init?(text: String) {
    let parts = text.split(at: "/", omittingEmpty: false).map(String.init)
    guard parts.count == 3, let buildID = BuildID(parts[0]),
      let recorder = Recorder(rawValue: parts[1]), let guards = Int(parts[2])
    else { return nil }
    self.init(BuildKey(buildID: buildID, recorder: recorder), guards: guards)
  }

  static func < (a: Claim, b: Claim) -> Bool { (a.build, a.guards) < (b.build, b.guards) }
}
