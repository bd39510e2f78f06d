import FirstlightModel

/// Identifies the function table that guard indices refer to.
package struct BuildKey: Hashable, Sendable, Comparable {
  package var buildID: BuildID
  package var recorder: Recorder

  package init(buildID: BuildID, recorder: Recorder = .guards) {
    self.buildID = buildID
    self.recorder = recorder
  }

  package static func < (a: BuildKey, b: BuildKey) -> Bool {
    (a.buildID.description, a.recorder.rawValue) < (b.buildID.description, b.recorder.rawValue)
  }
}
