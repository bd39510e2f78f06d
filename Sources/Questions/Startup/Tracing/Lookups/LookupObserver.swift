import DebugInfo
import FirstlightTracer
import Glibc
import SystemSupport

/// Records the question of each look-up of the started process, which is stopped at its entry: the type, the
/// protocol and the stack.
final class LookupObserver {
  struct Question {
    var type: String
    var proto: String
    var stack: CopiedStack
  }

  /// By index of the call in the process's record.
  private(set) var questions: [UInt32: Question] = [:]
  /// The record with these calls.
  private(set) var record: UInt32 = .max
  /// Mappings of files, lowest first.
  private(set) var mappings: [ProcessMapping] = []
  private var mapsAreKnown = false
  private var names: SwiftTypeNames?

  /// Bytes of a stack that are copied, enough for some 100 frames, and the most copies.
  private static let stackSize = 32 << 10
  private static let mostStacks = 4096

  /// Called before a look-up may come from a file that has been mapped since the last one.
  func mappingsChanged() { mapsAreKnown = false }

  /// Records a call of a look-up function. If the process has executed another program, forgets the questions
  /// of the one before.
  func note(_ entry: fl_tracer_entry) {
    if entry.record != record {
      record = entry.record
      questions = [:]
      names = ProcessMemory(of: entry.process).map { SwiftTypeNames($0) }
    }
    guard names != nil else { return }
    if !mapsAreKnown {
      mapsAreKnown = true
      mappings = ProcessMapping.all(of: "\(entry.process)").filter {
        $0.inode != 0 && $0.path.begins(with: "/")
      }
    }
    let size = questions.count < Self.mostStacks ? Self.stackSize : 0
    questions[entry.call] = Question(
      type: names!.typeName(entry.arguments.0), proto: names!.protocolName(entry.arguments.1),
      stack: CopiedStack(
        address: entry.address, start: entry.stack, frame: entry.frame,
        bytes: names!.memory.bytes(entry.stack, count: size)))
  }
}
