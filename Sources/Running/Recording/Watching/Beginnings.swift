/// Decides whether the start of a process shows what the others of its program did before they were watched: only if each
/// of them was started with arguments of a start that was seen by then. `server --version` shows nothing of a server.
///
/// The watcher decides, because it alone sees arguments: they do not leave the host. Readers find the answer in the
/// recording (`Trace.showsStart`).
struct Beginnings {
  /// By program: the arguments of processes whose beginning was missed and that no start had since; nil: unknown ones.
  private var missed: [[UInt8]: Set<[UInt8]?>] = [:]

  /// Titles that programs write over their arguments may be new in each process.
  private static let mostArguments = 1000

  /// - Parameter command: the arguments, each ended by NUL; empty: unknown.
  mutating func miss(_ program: [UInt8], _ command: [UInt8]) {
    let isKept = missed[program]?.count ?? 0 < Self.mostArguments
    let arguments: [UInt8]? = isKept ? Self.arguments(command) : nil
    missed[program, default: []].insert(arguments)
  }

  /// - Returns: whether this start stands for all that was missed.
  mutating func see(_ program: [UInt8], _ command: [UInt8]) -> Bool {
    guard let known = missed[program], !known.isEmpty else { return true }
    if let arguments = Self.arguments(command) { missed[program]?.remove(arguments) }
    return missed[program]?.isEmpty == true
  }

  /// Without the program's name.
  private static func arguments(_ command: [UInt8]) -> [UInt8]? {
    command.isEmpty ? nil : Array(command.drop { $0 != 0 }.dropFirst())
  }
}
