import FirstlightModel
import Ordering

/// The first calls until ready, with the time of each.
package struct CallTree: Sendable {
  package struct Call: Sendable {
    package var name: String
    /// The file of the declaration; nil without debug information.
    package var file: String?
    package var line: Int
    /// The image's file name.
    package var image: String
    package var thread: UInt32
    /// Nanoseconds since the request.
    package var time: UInt64
    package var outcome: CallOutcome
    /// Nanoseconds that belong to no first call inside this one; nil if unknown.
    package fileprivate(set) var own: UInt64?

    package init(
      name: String, file: String?, line: Int, image: String, thread: UInt32, time: UInt64,
      outcome: CallOutcome
    ) {
      self.name = name
      self.file = file
      self.line = line
      self.image = image
      self.thread = thread
      self.time = time
      self.outcome = outcome
    }
  }

  /// In the order of entry: a parent comes before its children.
  package let calls: [Call]
  /// Number of functions whose calls were watched.
  package let functionCount: Int
  /// The factor that scaled the times of the longest stage.
  package let scale: Double

  init(_ calls: [Call], functionCount: Int, scale: Double) {
    var own = calls.map(\.outcome.duration)
    for call in calls where call.outcome.parent >= 0 {
      let parent = Int(call.outcome.parent)
      // An unknown part of a tail call's time belongs to its parent, too. A call without a seen end has no time
      // at all.
      let isKnown = call.outcome.ending != .tailCall
      own[parent] = Self.rest(own[parent], isKnown ? call.outcome.duration : nil)
    }
    var calls = calls
    for index in calls.indices { calls[index].own = own[index] }
    self.calls = calls
    self.functionCount = functionCount
    self.scale = scale
  }

  private static func rest(_ whole: UInt64?, _ part: UInt64?) -> UInt64? {
    guard let whole, let part else { return nil }
    return whole - min(whole, part)
  }
}
