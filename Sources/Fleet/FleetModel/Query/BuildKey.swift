import FirstlightModel

/// What tells apart the function tables that guard indices refer to.
public struct BuildKey: Hashable, Sendable, Comparable {
  public var buildID: BuildID
  public var recorder: Recorder

  public init(buildID: BuildID, recorder: Recorder = .guards) {
    self.buildID = buildID
    self.recorder = recorder
  }

  public static func < (a: BuildKey, b: BuildKey) -> Bool {
    (a.buildID.description, a.recorder.rawValue) < (b.buildID.description, b.recorder.rawValue)
  }
}
