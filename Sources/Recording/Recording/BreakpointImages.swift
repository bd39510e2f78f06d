import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// The files that a run executes or maps, with the functions to record in each.
///
/// The tracer calls it while the program is stopped, so it reads only addresses; the function
/// tables are made after the run.
package struct BreakpointImages {
  /// The shared libraries to record, and programs without symbol table.
  private var libraries: LibraryChoice

  struct Entry {
    var path: String
    var image: DebugImage
    /// Whether this is only a fallback: the command itself has no symbol table and was not named.
    var isLastResort: Bool
    /// The tracer's input; lives until `release`.
    var addresses: UnsafeBufferPointer<UInt64>

    /// As a recording names it.
    var watched: WatchedImage {
      WatchedImage(
        path: path, buildID: image.buildID, addresses: addresses, isSpare: isLastResort)
    }
  }

  /// By number; see `release`.
  private(set) var entries: [Int: Entry] = [:]
  private var count = 0
  private var noted: [String] = []
  private var known: [FileIdentity: Int?] = [:]

  init(globs: [String]) { libraries = LibraryChoice(globs) }

  var problems: [String] { noted + libraries.problems }

  /// The number in `entries` of a file whose functions are recorded.
  ///
  /// - Parameters:
  ///   - path: the file's name for people.
  ///   - link: leads to the file now; nil: the path does.
  mutating func choose(
    path: String, link: String? = nil, isProgram: Bool, isCommand: Bool
  ) -> Int? {
    let isNamed = libraries.isNamed(path)
    libraries.saw(path)
    guard isNamed || isProgram && (isCommand || !Self.isCrashReporter(path)) else { return nil }
    let file = FileIdentity(path, at: link)
    if let place = known[file] { return place }
    let place = open(link ?? path, path, isNamed: isNamed, isCommand: isCommand)
    known[file] = place
    return place
  }

  /// Whether a mapped library was named, or belongs to the program.
  mutating func wantsLibrary(_ path: String) -> Bool {
    libraries.saw(path)
    return libraries.isNamed(path) || !LibraryChoice.isInstalled(path)
  }

  /// Whether the program is the toolchain's crash reporter, which a crashing Swift program starts.
  private static func isCrashReporter(_ path: String) -> Bool {
    BaseName.of(path).begins(with: "swift-backtrace")
  }

  /// Reads the libraries of a command before it runs, so that the stopped program need not wait for
  /// that. Fetches missing debug information of the command and the libraries to record.
  ///
  /// - Throws: `Failure` of kind `noInput` if the command may be run, but not read.
  mutating func prepare(command: String) throws(Failure) {
    // Starting a program that is not there says so.
    guard let path = try? ProgramPath.find(command), access(path, F_OK) == 0 else { return }
    guard access(path, R_OK) == 0 else {
      throw Failure(
        .noInput,
        "\(command): cannot be read (\(ErrorText.of(errno))), so its functions are unknown",
        advice: "record as a user who may read it")
    }
    guard
      let facts = try? DebugImage(path: path, debugDirectories: []).facts()
    else { return }
    if DebugFiles.asks { _ = try? DebugFiles.image(of: path) }
    for node in LibrarySearch.graph(facts).nodes.dropFirst() {
      libraries.needs(node.path)
      if DebugFiles.asks, libraries.isNamed(node.path) { _ = try? DebugFiles.image(of: node.path) }
    }
  }

  /// A program without symbol table is recorded only if it is the command or was named: unnamed
  /// functions of a shell on the way are useless.
  private mutating func open(
    _ link: String, _ path: String, isNamed: Bool, isCommand: Bool
  ) -> Int? {
    let image: DebugImage
    do throws(Failure) {
      image = try DebugFiles.image(of: link, mayAsk: false)
    } catch {
      noteUnrecorded("\(error); its functions are not recorded")
      return nil
    }
    return add(image, path: path, isNamed: isNamed, isCommand: isCommand)
  }

  /// Adds an open file, unless its functions would have no names.
  ///
  /// - Parameter path: the file's name for people.
  mutating func add(
    _ image: DebugImage, path: String, isNamed: Bool, isCommand: Bool
  ) -> Int? {
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
    entries[count] = Entry(
      path: path, image: image, isLastResort: !isNamed && !image.hasLocalSymbols,
      addresses: UnsafeBufferPointer(addresses))
    count += 1
    return count - 1
  }

  static let advice =
    "keep its symbols, or put its debug file beside it or under /usr/lib/debug"

  /// Number of binaries with unrecorded parts.
  private(set) var unrecordedCount = 0

  /// Closes a file that no process runs any more. Its functions have no names in profiles that are made later.
  mutating func release(_ number: Int) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    entry.addresses.deallocate()
    known = known.filter { $0.value != number }
  }

  /// Notes functions whose breakpoints a process has taken out of its memory.
  mutating func noteUnwatched(_ image: Int, _ count: Int) {
    noteUnrecorded(
      "\(entries[image]!.path): a process gave back the memory of its code (madvise) or changed it, and with it "
        + "the breakpoints of \(CountText.text(count, "function")), which may have been called unseen"
    )
  }

  /// Notes a loss.
  mutating func noteUnrecorded(_ problem: String) {
    unrecordedCount += 1
    note(problem)
  }

  mutating func note(_ problem: String) {
    if !noted.contains(problem) { noted.append(problem) }
  }
}
