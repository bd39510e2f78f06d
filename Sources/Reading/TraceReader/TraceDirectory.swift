import FirstlightABI
import FirstlightModel
import Glibc
import SystemSupport

/// A directory of recording processes' files.
package struct TraceDirectory: Sendable {
  /// A directory's contents at the time of reading.
  package struct Reading: Sendable {
    /// One for each process, sorted by start time.
    package var traces: [Trace]
    /// Number of processes of which no file could be read.
    package var unreadProcesses = 0
    /// A problem for each file that could not be read, or only in part: the expectation, the file
    /// and the offset.
    package var problems: [Failure]
  }

  package let path: String

  /// - Throws: `.noInput` if the directory does not exist or may not be read.
  package init(path: String) throws(Failure) {
    self.path = path
    _ = try DirectoryHandle(path: path)
  }

  /// Reads everything that exists now. Processes may still be writing.
  ///
  /// A bad file never hides others: it is skipped, counted in its trace's losses, and named among
  /// the problems. Files with other names are ignored.
  ///
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func read() throws(Failure) -> Reading {
    let handle = try DirectoryHandle(path: path)
    var reading = Reading(traces: [], problems: [])
    for entry in Self.entries(try handle.names()) {
      let found = read(entry, isFinal: false, expectsAll: true, keepsCalls: true, in: handle)
      if let trace = found.trace {
        reading.traces.append(trace)
      } else {
        reading.unreadProcesses += 1
      }
      reading.problems += found.problems
    }
    reading.traces.sort { a, b in
      a.clockBase.monotonic != b.clockBase.monotonic
        ? a.clockBase.monotonic < b.clockBase.monotonic : a.process.isOrdered(before: b.process)
    }
    return reading
  }

  /// The processes with files in the directory, oldest first.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func entries() throws(Failure) -> [TraceEntry] {
    Self.entries(try DirectoryHandle(path: path).names())
  }

  /// Files that recorders have begun but not finished, with the process in each name, which lacks
  /// the namespace.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func unfinished() throws(Failure) -> [(name: String, process: ProcessID)] {
    try DirectoryHandle(path: path).names().compactMap { name in
      FileName.process(ofUnfinished: name).map { (name, $0) }
    }
  }

  /// Reads the files of an ended process; the files of a live one may be read only in part.
  /// - Parameters:
  ///   - keepsCalls: whether first calls are needed beside the sets of called guards.
  ///   - limits: a process beyond these limits has no trace.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func readEnded(
    _ entry: TraceEntry, keepsCalls: Bool, limits: ReadLimits = .none
  ) throws(Failure) -> EndedProcess {
    read(
      entry, isFinal: true, expectsAll: true, keepsCalls: keepsCalls, limits: limits,
      in: try DirectoryHandle(path: path))
  }

  /// Reads the files of a process that may still write them.
  /// - Parameters: as `readEnded`.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func readRunning(
    _ entry: TraceEntry, keepsCalls: Bool, limits: ReadLimits = .none
  ) throws(Failure) -> EndedProcess {
    read(
      entry, isFinal: false, expectsAll: false, keepsCalls: keepsCalls, limits: limits,
      in: try DirectoryHandle(path: path))
  }

  private static func entries(_ names: [String]) -> [TraceEntry] {
    var numbers: [ProcessID: [UInt32]] = [:]
    var marked: Set<ProcessID> = []
    var counters: [ProcessID: [UInt32]] = [:]
    for name in names {
      guard let file = FileName(name) else { continue }
      switch file.kind {
      // Adds the process even without segments.
      case .process: numbers[file.process, default: []] += []
      case .marks:
        numbers[file.process, default: []] += []
        marked.insert(file.process)
      case .segment(let number): numbers[file.process, default: []].append(number)
      case .counters(let number):
        numbers[file.process, default: []] += []
        counters[file.process, default: []].append(number)
      }
    }
    return numbers.sorted { $0.key.isOrdered(before: $1.key) }.map {
      TraceEntry(
        process: $0.key, segments: $0.value.sorted(), hasMarks: marked.contains($0.key),
        counters: counters[$0.key]?.sorted() ?? [])
    }
  }

  /// - Parameter expectsAll: whether a segment that the process file counts is lost if it is not there. A running process
  ///   may be creating it.
  private func read(
    _ entry: TraceEntry, isFinal: Bool, expectsAll: Bool, keepsCalls: Bool,
    limits: ReadLimits = .none, in handle: borrowing DirectoryHandle
  ) -> EndedProcess {
    var files = ProcessFiles(
      process: entry.process, directory: handle.descriptor, path: path, isFinal: isFinal,
      keepsCalls: keepsCalls, limits: limits)
    files.readProcess()
    files.readSegments(entry.segments, counters: entry.counters)
    if entry.hasMarks { files.readMarks() }
    if expectsAll { files.noteMissingSegments() }
    let trace = files.trace()
    return EndedProcess(trace: trace, called: files.called, problems: files.problems)
  }
}

/// An open directory.
private struct DirectoryHandle: ~Copyable {
  private let path: String
  /// Owned by this value.
  let descriptor: CInt

  init(path: String) throws(Failure) {
    // With O_DIRECTORY, a pipe or device of that name is refused without waiting.
    let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw Self.failure(path, errno) }
    self.path = path
    descriptor = opened
  }

  deinit { close(descriptor) }

  func names() throws(Failure) -> [String] {
    do { return try DirectoryListing.names(of: descriptor) } catch {
      throw Self.failure(path, error.code)
    }
  }

  private static func failure(_ path: String, _ code: CInt) -> Failure {
    Failure(.noInput, "\(path): cannot be read as a directory: \(ErrorText.of(code))")
  }
}

extension ProcessID {
  /// A fixed order for processes that start at the same time.
  func isOrdered(before other: ProcessID) -> Bool {
    (start, pid, key, namespace) < (other.start, other.pid, other.key, other.namespace)
  }
}
