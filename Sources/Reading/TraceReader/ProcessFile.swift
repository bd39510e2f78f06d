import FirstlightABI
import FirstlightModel
import SystemSupport

/// Reads process files: one page that identifies a recorded process.
///
/// The layout is that of `firstlight_abi.h`. A header that contradicts itself is refused as a
/// whole; only an impossible readiness time is dropped, with `ProcessPage.problem`.
package enum ProcessFile {
  /// Reads a process file.
  /// - Parameter path: The file. Not followed if it is a symbolic link.
  /// - Throws: `.noInput` if the file cannot be opened or is not regular, `.inputOutput` if reading
  ///   fails, `.data` if it is no process file; each names the file, and the offset where there is
  ///   one.
  package static func read(path: String) throws(Failure) -> ProcessPage {
    try read(RegularFile(path: path, followsLinks: false))
  }

  /// Reads a process file from memory.
  /// - Parameters:
  ///   - bytes: The file's contents; not kept. Need not be aligned.
  ///   - name: the file's name in messages.
  /// - Throws: `.data` if the contents are no process file, naming `name` and the offset.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, name: String
  ) throws(Failure) -> ProcessPage {
    try processPage(HeaderPage(bytes, name: name))
  }

  static func read(_ file: borrowing RegularFile) throws(Failure) -> ProcessPage {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(FL_HEADER_SIZE), alignment: 16)
    defer { page.deallocate() }
    let size = try file.read(into: page, at: 0)
    return try parse(UnsafeRawBufferPointer(rebasing: page[..<size]), name: file.name)
  }

  private static func processPage(
    _ page: HeaderPage<fl_process_header>
  ) throws(Failure) -> ProcessPage {
    try page.requireFormat(
      magic: \.magic, is: FL_PROCESS_MAGIC, called: "process file", version: \.version,
      headerSize: \.header_size)
    let process = ProcessID(page.value(\.process))
    try page.require(process.pid != 0, \.process.pid, "process id is 0")
    let monotonic = try page.time(\.monotonic, called: "monotonic clock")
    let realtime = try page.time(\.realtime, called: "realtime clock")
    let origin = try origin(of: process, page)
    let path = try page.path(\.path, size: \.path_size)
    let isPathTruncated = try page.flag(\.path_truncated, called: "path_truncated")
    let areArgumentsTruncated = try page.flag(\.command_truncated, called: "command_truncated")
    let arguments = try arguments(page, areTruncated: areArgumentsTruncated)

    let ready = page.value(\.ready)
    let isReadyPossible = ready == 0 || (monotonic...latestTime).contains(ready)
    return ProcessPage(
      process: process, parentPID: page.value(\.parent_pid), user: page.value(\.user),
      clockBase: (monotonic, realtime), forkedFrom: origin, path: path,
      isPathTruncated: isPathTruncated, arguments: arguments,
      areArgumentsTruncated: areArgumentsTruncated, firstCallCount: page.value(\.sequence),
      imageCount: Int(page.value(\.images)),
      // The counters are written separately, and the read may fall between the two writes.
      lostImages: Int(min(page.value(\.lost_images), page.value(\.images))),
      lastError: page.value(\.lost_error),
      ready: ready != 0 && isReadyPossible ? ready : nil,
      watch: try watch(page),
      unrecordedProcesses: Int(page.value(\.watch.unrecorded)),
      runningProcesses: Int(page.value(\.watch.running)),
      notices: ProcessNotices.failures(
        page.value(\.notices), error: page.value(\.notice_error), name: page.name),
      problem: isReadyPossible
        ? nil
        : page.failure(
          \.ready, "ready at \(ready) ns, expected 0 or \(monotonic) to \(latestTime); left out"))
  }

  /// How another process watched this one; nil if it recorded itself.
  private static func watch(
    _ page: HeaderPage<fl_process_header>
  ) throws(Failure) -> ProcessWatch? {
    let recorder = page.value(\.watch.recorder)
    let isLate = try page.flag(\.watch.is_late, called: "is_late")
    let until = try page.time(\.watch.until, called: "watched until")
    let ended = try page.time(\.watch.ended, called: "end of the watch")
    guard recorder != 0 else { return nil }
    return ProcessWatch(
      engine: page.value(\.watch.engine) == FL_WATCH_PROBES ? .probes : .ptrace,
      recorder: ProcessID(
        pid: recorder, namespace: 0, start: page.value(\.watch.recorder_start), key: 0),
      isLate: isLate, until: until == 0 ? nil : until, ended: ended == 0 ? nil : ended)
  }

  /// The process that forked this one.
  private static func origin(
    of process: ProcessID, _ page: HeaderPage<fl_process_header>
  ) throws(Failure) -> (process: ProcessID, sequence: UInt32)? {
    let origin = ProcessID(page.value(\.forked_from))
    guard origin.pid != 0 else { return nil }
    try page.require(
      origin != process, \.forked_from, "process \(process.pid) was forked from itself")
    // Forks must not form a cycle: a parent starts before its child.
    try page.require(
      process.start == 0 || origin.start <= process.start, \.forked_from.start,
      "forked from a process that started at tick \(origin.start), expected at most \(process.start)"
    )
    return (origin, page.value(\.forked_at))
  }

  /// The command line: arguments, each ended by a NUL; a truncated last one may lack it.
  private static func arguments(
    _ page: HeaderPage<fl_process_header>, areTruncated: Bool
  ) throws(Failure) -> [String] {
    let command = try page.content(of: \.command, size: \.command_size, called: "command")
    guard let last = command.last else { return [] }
    try page.require(
      last == 0 || areTruncated, \.command_size,
      "command of \(command.count) bytes does not end with NUL")
    var arguments = command.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    if last == 0 { arguments.removeLast() }
    return arguments
  }
}
