import FirstlightABI
import FirstlightModel
import Glibc
import SystemSupport

/// A directory that recording processes write into.
package struct TraceDirectory: Sendable {
  /// What a directory held when it was read.
  package struct Reading: Sendable {
    /// One for each process, sorted by start time.
    package var traces: [Trace]
    /// One for each file that could not be read, or only in part: what was expected, in which file,
    /// at which offset.
    package var problems: [Failure]
  }

  package let path: String

  /// - Throws: `.noInput` if there is no such directory or it may not be read.
  package init(path: String) throws(Failure) {
    self.path = path
    _ = try DirectoryHandle(path: path)
  }

  /// Reads all that is there now. Processes may still be writing.
  ///
  /// One bad file never hides another: it is left out, counted in its trace's losses, and named
  /// among the problems. Files of other names are ignored.
  ///
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func read() throws(Failure) -> Reading {
    let handle = try DirectoryHandle(path: path)
    var reading = Reading(traces: [], problems: [])
    for entry in Self.entries(try handle.names()) {
      let found = read(entry, isFinal: false, keepsCalls: true, in: handle)
      if let trace = found.trace { reading.traces.append(trace) }
      reading.problems += found.problems
    }
    reading.traces.sort { a, b in
      a.clockBase.monotonic != b.clockBase.monotonic
        ? a.clockBase.monotonic < b.clockBase.monotonic : a.process.isOrdered(before: b.process)
    }
    return reading
  }

  /// The processes that have files here now, oldest first.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func entries() throws(Failure) -> [TraceEntry] {
    Self.entries(try DirectoryHandle(path: path).names())
  }

  /// Files that recorders have begun and not finished, with the process that each says it is of, which is
  /// without namespace.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func unfinished() throws(Failure) -> [(name: String, process: ProcessID)] {
    try DirectoryHandle(path: path).names().compactMap { name in
      FileName.process(ofUnfinished: name).map { (name, $0) }
    }
  }

  /// Reads what a process left that has ended: what still writes may be read in part.
  /// - Parameters:
  ///   - keepsCalls: whether first calls are wanted beside the sets of them.
  ///   - limits: beyond them the process has no trace.
  /// - Throws: `.noInput` if the directory cannot be read any more.
  package func readEnded(
    _ entry: TraceEntry, keepsCalls: Bool, limits: ReadLimits = .none
  ) throws(Failure) -> EndedProcess {
    read(
      entry, isFinal: true, keepsCalls: keepsCalls, limits: limits,
      in: try DirectoryHandle(path: path))
  }

  private static func entries(_ names: [String]) -> [TraceEntry] {
    var numbers: [ProcessID: [UInt32]] = [:]
    var marked: Set<ProcessID> = []
    for name in names {
      guard let file = FileName(name) else { continue }
      switch file.kind {
      // Known, with or without segments.
      case .process: numbers[file.process, default: []] += []
      case .marks:
        numbers[file.process, default: []] += []
        marked.insert(file.process)
      case .segment(let number): numbers[file.process, default: []].append(number)
      }
    }
    return numbers.sorted { $0.key.isOrdered(before: $1.key) }.map {
      TraceEntry(
        process: $0.key, segments: $0.value.sorted(), hasMarks: marked.contains($0.key))
    }
  }

  private func read(
    _ entry: TraceEntry, isFinal: Bool, keepsCalls: Bool, limits: ReadLimits = .none,
    in handle: borrowing DirectoryHandle
  ) -> EndedProcess {
    var files = ProcessFiles(
      process: entry.process, directory: handle.descriptor, path: path, isFinal: isFinal,
      keepsCalls: keepsCalls, limits: limits)
    files.readProcess()
    files.readSegments(entry.segments)
    if entry.hasMarks { files.readMarks() }
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
    // O_DIRECTORY: a pipe or device of that name is refused before anything waits for it.
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
  /// A fixed order for processes that are otherwise alike.
  func isOrdered(before other: ProcessID) -> Bool {
    (start, pid, key, namespace) < (other.start, other.pid, other.key, other.namespace)
  }
}

/// What a process noted in its file instead of saying it on standard error.
enum ProcessNotices {
  /// - Parameters:
  ///   - bits: `FL_NOTICE_...`; those of a newer runtime are passed over.
  ///   - error: `errno` of the last of them; 0: none.
  ///   - name: The process file, as messages call it.
  static func failures(_ bits: UInt32, error: UInt32, name: String) -> [Failure] {
    let code = CInt(exactly: error) ?? 0
    let reason = code > 0 ? ": \(ErrorText.of(code))" : ""
    return notices.filter { bits & $0.bit != 0 }.map {
      Failure(.lossy, "\(name): \($0.text)\($0.hasReason ? reason : "")")
    }
  }

  private static let notices: [(bit: UInt32, text: String, hasReason: Bool)] = [
    (FL_NOTICE_FORK, "a forked process could not be recorded", true),
    (FL_NOTICE_SEGMENT, "a segment could not be created", true),
    (FL_NOTICE_MARKS, "the marks file could not be created; marks are missing", true),
    (FL_NOTICE_CUT, "a file in the directory was truncated; later calls are missing", false),
    (
      FL_NOTICE_CONFINED,
      "a forked process was not recorded: it had, or might have, confined itself (seccomp filter, "
        + "other root directory)", false
    ),
    (
      FL_NOTICE_MARKS_CONFINED,
      "marks are missing: the process had, or might have, confined itself before its first", false
    ),
  ]
}
