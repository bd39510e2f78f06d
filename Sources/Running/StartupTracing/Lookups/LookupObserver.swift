import FirstlightTracer
import Glibc
import SystemSupport

/// Notes what look-ups of the started process ask for, while each is stopped at its entry: the type, the
/// protocol, and who asks.
final class LookupObserver {
  struct Question {
    var type: String
    var proto: String
    /// The return addresses, innermost first.
    var stack: [UInt64]
  }

  /// By index of the call in the process's record.
  private(set) var questions: [UInt32: Question] = [:]
  /// The record with these calls.
  private(set) var record: UInt32 = .max
  /// Mappings of files with code, lowest first.
  private(set) var mappings: [ProcessMapping] = []
  private var names: SwiftTypeNames?

  /// Deeper callers are not looked for.
  private static let deepest = 96

  /// - Parameter entry: of a look-up function. A process that executes another program begins anew.
  func note(_ entry: fl_tracer_entry) {
    if entry.record != record {
      record = entry.record
      questions = [:]
      mappings = []
      names = ProcessMemory(of: entry.process).map { SwiftTypeNames($0) }
    }
    guard names != nil else { return }
    let stack = stack(entry)
    if stack.contains(where: { !isKnown($0) }) {
      mappings = ProcessMapping.all(of: "\(entry.process)").filter {
        $0.inode != 0 && $0.path.hasPrefix("/")
      }
    }
    questions[entry.call] = Question(
      type: names!.typeName(entry.arguments.0), proto: names!.protocolName(entry.arguments.1),
      stack: stack)
  }

  /// The chain of frame pointers, which code of Swift and of its runtime keeps.
  private func stack(_ entry: fl_tracer_entry) -> [UInt64] {
    var stack = [entry.address]
    var frame = entry.frame
    while stack.count < Self.deepest, frame != 0, frame % 8 == 0,
      let (outer, address) = names!.memory.load(frame, as: (UInt64, UInt64).self), address != 0
    {
      stack.append(address)
      // The stack grows down.
      guard outer > frame else { break }
      frame = outer
    }
    return stack
  }

  private func isKnown(_ address: UInt64) -> Bool {
    mappings.contains { $0.range.contains(address) }
  }
}
