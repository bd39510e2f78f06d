import FirstlightABI
import FirstlightModel
import Glibc
import SystemSupport

/// Reads the files of one process into its trace.
///
/// A file belongs to the process if its name and header agree and its owner is the user of the
/// process file: another user with write access to the directory can add nothing.
struct ProcessFiles {
  private(set) var problems: [Failure] = []

  /// From the file names, so without namespace.
  private let stem: ProcessID
  /// Owned by the caller; must stay open while this value is used.
  private let directory: CInt
  private let path: String
  private let isFinal: Bool
  private let keepsCalls: Bool
  private let limits: ReadLimits
  /// Whether the process exceeds the limits; it is then ignored as a whole.
  private var isExcessive = false
  private var firstCalls = 0
  private var recorded: ProcessPage?
  private var segments: [(segment: Segment, name: String)] = []
  private var unreadableSegments = 0
  private var countedRecords = 0
  private var marks: [ProgramMark] = []
  /// Owner of the process's files; nil until one was opened.
  private var owner: UInt32?

  /// - Parameters:
  ///   - isFinal: whether the process has ended.
  ///   - keepsCalls: whether first calls are needed beside the sets of called guards.
  init(
    process: ProcessID, directory: CInt, path: String, isFinal: Bool, keepsCalls: Bool,
    limits: ReadLimits
  ) {
    stem = process
    self.directory = directory
    self.path = path
    self.isFinal = isFinal
    self.keepsCalls = keepsCalls
    self.limits = limits
  }

  /// Reads the process file. Its absence is a problem: a process creates it before its segments.
  mutating func readProcess() {
    do throws(Failure) {
      let file = try open(.process)
      owner = file.owner
      let recorded = try ProcessFile.read(file)
      try check(recorded.process, file.name, offset: Self.processOffset)
      self.recorded = recorded
      if let problem = recorded.problem { problems.append(problem) }
      problems += recorded.notices
    } catch {
      problems.append(error)
    }
  }

  /// Reads segments, within the limits of number and size.
  ///
  /// - Parameter counters: the segments whose image has a file of counters.
  mutating func readSegments(_ numbers: [UInt32], counters: [UInt32]) {
    guard numbers.count <= limits.segments else {
      return refuse("\(numbers.count) segments, at most \(limits.segments) are read")
    }
    for number in numbers {
      readSegment(number, isCounted: counters.contains(number))
      if firstCalls > limits.firstCalls {
        return refuse("more than \(limits.firstCalls) first calls")
      }
    }
  }

  private mutating func refuse(_ what: String) {
    isExcessive = true
    segments = []
    problems.append(Failure(.data, "\(path): process \(stem) has \(what)"))
  }

  /// Reads one segment.
  private mutating func readSegment(_ number: UInt32, isCounted: Bool) {
    let name = FileName.name(of: stem, .segment(number))
    do throws(Failure) {
      let file = try open(.segment(number))
      guard isOwn(file) else { return }
      do throws(Failure) {
        var segment = try SegmentFile.read(
          file, isFinal: isFinal, keepsCalls: keepsCalls, limit: limits.firstCalls - firstCalls)
        try check(segment.process, file.name, offset: Self.segmentOffset)
        owner = file.owner
        if isCounted { segment.image.counters = readCounters(number, segment.image.buildID) }
        segments.append((segment, file.name))
        firstCalls += segment.called.count + (segment.image.watch?.gaps.count ?? 0)
        if let problem = segment.problem { problems.append(problem) }
      } catch {
        unreadableSegments += 1
        problems.append(error)
      }
    } catch {
      if isOwn(name) { unreadableSegments += 1 }
      problems.append(error)
    }
  }

  /// Reads the counters of a segment's image. Those that cannot be read are a loss, like a segment.
  private mutating func readCounters(_ number: UInt32, _ build: BuildID?) -> CountedRecords? {
    do throws(Failure) {
      let file = try open(.counters(number))
      guard isOwn(file) else { return nil }
      let counted = try CountersFile.read(file, of: build)
      countedRecords += counted.count
      guard countedRecords <= CountersFile.mostRecordsOfProcess else {
        throw Failure(
          .data, "\(file.name): more than \(CountersFile.mostRecordsOfProcess) counted functions")
      }
      return counted
    } catch {
      if isOwn(FileName.name(of: stem, .counters(number))) { unreadableSegments += 1 }
      problems.append(error)
      return nil
    }
  }

  /// Reads the marks.
  mutating func readMarks() {
    guard limits.readsMarks else { return }
    do throws(Failure) {
      let file = try open(.marks)
      guard isOwn(file) else { return }
      let page = try MarksFile.read(file)
      try check(page.process, file.name, offset: Self.marksOffset)
      marks = page.marks
      if let problem = page.problem { problems.append(problem) }
    } catch {
      problems.append(error)
    }
  }

  /// Counts the segments that the process created and that are no longer there, or cannot be its own, as lost.
  mutating func noteMissingSegments() {
    guard let recorded else { return }
    let missing =
      recorded.imageCount - recorded.lostImages - segments.count - unreadableSegments
    guard missing > 0 else { return }
    unreadableSegments += missing
    problems.append(
      Failure(
        .data,
        "\(path): process \(stem) has created \(recorded.imageCount) segments, \(missing) are missing"
      ))
  }

  /// Whether a file has the same owner as the process's other files; a different one is a problem.
  private mutating func isOwn(_ file: borrowing RegularFile) -> Bool {
    guard let owner, file.owner != owner else { return true }
    problems.append(
      Failure(
        .data,
        "\(file.name): belongs to user \(file.owner), expected user \(owner) as of the process's "
          + "other files; left out"))
    return false
  }

  /// The called guards of each of the trace's images.
  var called: [CalledGuards] { segments.map(\.segment.called) }

  /// The process's trace; nil if no file could be read, or the files exceed the limits.
  mutating func trace() -> Trace? {
    if isExcessive { return nil }
    let assembled = TraceAssembly(
      recorded: recorded, segments: segments, unreadableSegments: unreadableSegments,
      marks: marks)
    guard let trace = assembled.trace else { return nil }
    if let problem = assembled.problem { problems.append(problem) }
    return trace
  }

  private static let processOffset = MemoryLayout<fl_process_header>.offset(of: \.process) ?? 0
  private static let segmentOffset = MemoryLayout<fl_segment_header>.offset(of: \.process) ?? 0
  private static let marksOffset = MemoryLayout<fl_marks_header>.offset(of: \.process) ?? 0

  private func open(_ kind: FileName.Kind) throws(Failure) -> RegularFile {
    let name = FileName.name(of: stem, kind)
    return try RegularFile(
      directory: directory, path: name, name: "\(path)/\(name)", followsLinks: false)
  }

  /// Whether a file that cannot be opened belongs to this process, and so counts as its loss.
  private func isOwn(_ name: String) -> Bool {
    var status = stat()
    guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return true }
    return owner == nil || status.st_uid == owner
  }

  /// - Throws: `.data` if the header names another process than the file's name.
  private func check(_ process: ProcessID, _ name: String, offset: Int) throws(Failure) {
    var unnamed = process
    unnamed.namespace = 0
    guard unnamed == stem else {
      throw Failure(
        .data, "\(name): offset \(offset): header is of process \(process), expected \(stem)")
    }
    let known = recorded?.process.namespace ?? segments.first?.segment.process.namespace ?? 0
    guard known == 0 || process.namespace == 0 || process.namespace == known else {
      throw Failure(
        .data,
        "\(name): offset \(offset): header is of pid namespace \(process.namespace), expected \(known)"
      )
    }
  }
}
