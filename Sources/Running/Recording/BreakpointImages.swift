import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// The files that a run executes or maps, and which of their functions are to be watched.
///
/// Asked by the tracer while the program is stopped, so it reads no more than the addresses; the
/// function tables are made when the run is over.
package struct BreakpointImages {
  /// Shared libraries to watch, and programs without symbol table.
  private var libraries: LibraryChoice

  struct Entry {
    var path: String
    var image: DebugImage
    var entries: FunctionEntries
    /// Watched for want of better: the command itself has no symbol table and was not named.
    var isLastResort: Bool
    /// What the tracer reads; lives as long as the process.
    var addresses: UnsafeBufferPointer<UInt64>
  }

  private(set) var entries: [Entry] = []
  private var noted: [String] = []
  private var known: [FileIdentity: Int?] = [:]

  init(globs: [String]) { libraries = LibraryChoice(globs) }

  var problems: [String] { noted + libraries.problems }

  /// The place in `entries` of a file whose functions are to be watched.
  mutating func choose(path: String, isProgram: Bool, isCommand: Bool) -> Int? {
    let isNamed = libraries.isNamed(path)
    libraries.saw(path)
    guard isNamed || isProgram && (isCommand || !Self.isCrashReporter(path)) else { return nil }
    let file = FileIdentity(path)
    if let place = known[file] { return place }
    let place = open(path, isNamed: isNamed, isCommand: isCommand)
    known[file] = place
    return place
  }

  /// Whether a program is what a Swift program starts when it crashes: it belongs to the toolchain.
  private static func isCrashReporter(_ path: String) -> Bool {
    BaseName.of(path).hasPrefix("swift-backtrace")
  }

  /// Looks at the libraries of a command before it runs: while it is stopped to be watched is no time for
  /// that. Fetches debug information that the command and the libraries to watch lack.
  mutating func prepare(command: String) {
    guard let path = try? ProgramPath.find(command),
      let facts = try? DebugImage(path: path, debugDirectories: []).facts()
    else { return }
    if DebugFiles.asks { _ = try? DebugFiles.image(of: path) }
    for node in LibrarySearch.graph(facts).nodes.dropFirst() {
      libraries.needs(node.path)
      if DebugFiles.asks, libraries.isNamed(node.path) { _ = try? DebugFiles.image(of: node.path) }
    }
  }

  /// Programs without symbol table are watched only if they are the command or were named: functions without
  /// names of a shell that is started on the way are useless.
  private mutating func open(_ path: String, isNamed: Bool, isCommand: Bool) -> Int? {
    let image: DebugImage
    do throws(Failure) {
      image = try DebugFiles.image(of: path, mayAsk: false)
    } catch {
      noted.append("\(error); its functions are not recorded")
      return nil
    }
    guard isNamed || isCommand || image.hasLocalSymbols else { return nil }
    let found = image.functionEntries
    if found.addresses.isEmpty {
      noted.append(
        "\(path): has neither symbols nor unwind tables, so its functions are not recorded; "
          + Self.advice)
      return nil
    }
    let addresses = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: found.addresses.count)
    _ = addresses.initialize(from: found.addresses)
    entries.append(
      Entry(
        path: path, image: image, entries: found,
        isLastResort: !isNamed && !image.hasLocalSymbols,
        addresses: UnsafeBufferPointer(addresses)))
    return entries.count - 1
  }

  private static let advice =
    "keep its symbols, or put its debug file beside it or under /usr/lib/debug"

  /// The entries to be kept, by place: where a program with symbols ran, the command that started it
  /// without having any (a shell, env) is left out.
  var kept: [(place: Int, entry: Entry)] {
    let all = entries.enumerated().map { (place: $0.offset, entry: $0.element) }
    let best = all.filter { !$0.entry.isLastResort }
    return best.isEmpty ? all : best
  }

  /// Problems to report about an image that is kept.
  static func problems(of entry: Entry) -> [String] {
    var problems: [String] = []
    if entry.image.buildID == nil {
      problems.append(
        "\(entry.path): has no build id, so it is identified by a hash of its file; link it with "
          + "-Wl,--build-id")
    }
    if !entry.image.hasLocalSymbols {
      problems.append(
        "\(entry.path): has no symbol table: \(entry.entries.unnamed) of its "
          + "\(entry.addresses.count) functions come from .eh_frame and are named fn_<address>, "
          + "which is enough for counts and pages but not for an order; \(advice)")
    }
    return problems
  }

  /// Binaries of which some part could not be recorded.
  private(set) var unrecordedCount = 0

  mutating func noteUnrecorded(_ path: String, reason: String) {
    unrecordedCount += 1
    note(
      "\(path): cannot write breakpoints to some of its memory\(reason); functions there are not "
        + "recorded")
  }

  mutating func note(_ problem: String) {
    if !noted.contains(problem) { noted.append(problem) }
  }
}
