import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// The standard streams of a launched program. Its output is copied, or discarded except for its last
/// lines. If a line of it signals readiness, it writes to a terminal, which makes it flush each line.
package final class LaunchStreams: Sendable {
  /// Descriptors 0, 1, 2 of the program. Owned by this object.
  package let descriptors: [Int32]
  private let line: [UInt8]?
  /// Receives a copy of the terminal's output; -1 for none.
  private let copy: Int32
  /// Nil if errors go to the terminal.
  private let errors: ProgramLog?
  /// Our end of the terminal; -1 for none.
  private let terminal: Int32
  /// Ends the reading thread.
  private let stop: WakePipe
  private let state = Mutex(State())

  private struct State {
    var rest: [UInt8] = []
    var last = ""
    var reachedAt: Double?
    var thread: SignalFreeThread?
  }

  /// - Parameters:
  ///   - input: the program's input; this object closes it.
  ///   - copy: receives the output if a line is awaited; -1 for none.
  /// - Throws: `Failure` of kind `system`.
  package init(line: String?, input: Int32, copy: Int32 = -1) throws(Failure) {
    self.copy = copy
    self.line = line.map { Array($0.utf8) }
    stop = try WakePipe()
    if line != nil {
      var program: Int32 = -1
      var ours: Int32 = -1
      let error = fl_open_terminal(&program, &ours)
      guard error == 0 else {
        throw Failure(.system, "cannot create a terminal: \(ErrorText.of(error))")
      }
      terminal = ours
      errors = nil
      descriptors = [input, program, program]
    } else {
      terminal = -1
      let errors = try ProgramLog()
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      guard null >= 0 else {
        throw Failure(.system, "/dev/null: cannot open: \(ErrorText.of(errno))")
      }
      self.errors = errors
      descriptors = [input, null, errors.descriptor]
    }
  }

  deinit {
    joinReader()
    for descriptor in Set(descriptors) where descriptor != errors?.descriptor { close(descriptor) }
    if terminal >= 0 { close(terminal) }
  }

  /// Starts the search for the line. Call once the program has been started.
  func start(onReached: @escaping @Sendable () -> Void) {
    guard terminal >= 0 else { return }
    let thread = SignalFreeThread(for: self) { streams in
      streams.read(
        onReached: onReached,
        while: { fl_wait(streams.stop.output, streams.terminal, -1) & Int32(FL_WAIT_FIRST) == 0 })
    }
    state.withLock { $0.thread = thread }
  }

  /// Reads the rest of the output. Call once the program has ended, since the thread may not have
  /// read the last lines from the terminal yet.
  func finish() {
    guard terminal >= 0 else { return }
    joinReader()
    read(onReached: {}, while: { fl_wait(-1, terminal, 0) != 0 })
  }

  private func joinReader() {
    stop.ring()
    state.withLock { state in
      defer { state.thread = nil }
      return state.thread
    }?.join()
  }

  /// Reads while data is available.
  private func read(onReached: () -> Void, while isThere: () -> Bool) {
    let room = 4096
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    while isThere() {
      let count = Glibc.read(terminal, buffer, room)
      if count < 0, errno == EINTR { continue }
      // EIO: no process has the other end open.
      guard count > 0 else { return }
      let now = Clock.monotonic()
      let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
      if take(Array(bytes), at: now) { onReached() }
      // The reader of the copy may be gone, which must not disturb the program.
      if copy >= 0 { try? FileContents.write(bytes, to: copy) }
    }
  }

  /// Processes output; returns whether the line appears for the first time.
  private func take(_ bytes: [UInt8], at now: Double) -> Bool {
    state.withLock { state in
      state.rest += bytes
      var found = false
      while let end = state.rest.firstIndex(of: 0x0a) {
        let written = Array(state.rest[..<end])
        state.rest.removeSubrange(...end)
        let text = String(decoding: written.filter { $0 != 0x0d }, as: UTF8.self)
        if !text.trimmed.isEmpty { state.last = String(text.prefix(500)) }
        if let line, state.reachedAt == nil, written.hasPart(line) {
          state.reachedAt = now
          found = true
        }
      }
      // Drops text that is too long for a line.
      if state.rest.count > 1 << 20 { state.rest.removeAll() }
      return found
    }
  }

  /// CLOCK_MONOTONIC when the line was read, seconds; nil before.
  var reachedAt: Double? { state.withLock { $0.reachedAt } }

  /// The last line on standard error (or on the terminal, if there is one); empty if none.
  package var lastWords: String {
    errors?.lastLine ?? state.withLock { $0.last }
  }
}

extension [UInt8] {
  fileprivate func hasPart(_ part: [UInt8]) -> Bool {
    guard part.count <= count else { return false }
    return (0...(count - part.count)).contains { self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
