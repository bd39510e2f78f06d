import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport
import WorkerSandbox

/// One run of a worker, from its start to its end.
struct WorkerRun: Sendable {
  let program: WorkerProgram
  let limits: WorkerLimits
  /// Ends the worker soon after cancellation.
  let cancellation: Cancellation

  /// A cancellation flag, set by another thread.
  final class Cancellation: Sendable {
    private let state = Atomic(false)
    func cancel() { state.store(true, ordering: .relaxed) }
    var isCancelled: Bool { state.load(ordering: .relaxed) }
  }

  /// Starts a worker to read a file, and returns its answer. Blocks; the worker dies with the calling thread.
  /// - Throws: `.unavailable` if no worker could be started or it was cancelled, `.stopped` if it
  ///   gave no answer within its limits.
  func read(
    _ file: BuildFile, debugFile: BuildFile?, arguments: [String]
  ) throws(BuildReadError) -> [UInt8] {
    var ends: [CInt] = [-1, -1]
    let problem = fl_pipe(&ends)
    guard problem == 0 else { throw Self.notStarted(problem) }
    let output = ends[0]
    defer { close(output) }
    var pid: pid_t = 0
    var process: CInt = -1
    let error = start(file, debugFile, arguments, output: ends[1], &pid, &process)
    close(ends[1])
    guard error == 0 else { throw Self.notStarted(error) }
    defer { close(process) }
    let answer = Result { () throws(BuildReadError) in try take(output, process) }
    let status = WaitStatus(fl_worker_end(pid))
    let bytes = try answer.get()
    if status.exitStatus == 0 { return bytes }
    throw .stopped(reason(status))
  }

  /// The worker's whole output until its end.
  private func take(_ output: CInt, _ process: CInt) throws(BuildReadError) -> [UInt8] {
    let deadline = ContinuousClock.now + .seconds(limits.wallSeconds)
    var answer: [UInt8] = []
    var (isOpen, isRunning) = (true, true)
    while isOpen || isRunning {
      guard !cancellation.isCancelled else {
        throw .unavailable(Failure(.unavailable, "firstlightd is stopping"))
      }
      guard ContinuousClock.now < deadline else {
        throw .stopped("reading does not finish within \(limits.wallSeconds) s")
      }
      // The timeout limits the delay of a cancellation.
      let seen = fl_wait(isOpen ? output : -1, isRunning ? process : -1, 100_000_000)
      if seen & CInt(FL_WAIT_SECOND) != 0 { isRunning = false }
      if seen & CInt(FL_WAIT_FIRST) != 0 {
        isOpen = Self.append(from: output, to: &answer)
        if answer.count > limits.answerBytes {
          throw .stopped("the function table is larger than \(limits.answerBytes >> 20) MB")
        }
      }
    }
    return answer
  }

  /// - Returns: false at the end.
  private static func append(from output: CInt, to answer: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
      let count = Glibc.read(output, buffer.baseAddress, buffer.count)
      guard count > 0 else { return count < 0 && errno == EINTR }
      answer.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return true
    }
  }

  private func reason(_ status: WaitStatus) -> String {
    switch (status.signal, status.exitStatus) {
    case (SIGXCPU, _): "reading takes more than \(limits.seconds) s of CPU time"
    case (nil, CInt(FL_WORKER_OUT_OF_MEMORY)):
      "reading takes more than \(limits.memory >> 20) MB of memory"
    case (SIGKILL, _): "the reader was killed by SIGKILL"
    case (let signal?, _): "the reader crashed (\(String(cString: strsignal(signal))))"
    case (nil, let exit): "the reader failed with exit status \(exit ?? 0)"
    }
  }

  private static func notStarted(_ error: CInt) -> BuildReadError {
    .unavailable(
      Failure(
        .unavailable, "cannot start a reader process: \(ErrorText.of(error))"))
  }

  private func start(
    _ file: BuildFile, _ debugFile: BuildFile?, _ arguments: [String], output: CInt,
    _ pid: inout pid_t, _ process: inout CInt
  ) -> CInt {
    // Copies for the call, freed afterwards.
    var arguments: [UnsafeMutablePointer<CChar>?] =
      (program.arguments + arguments).map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] =
      WorkerProgram.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    return program.path.withCString { path in
      arguments.withUnsafeMutableBufferPointer { arguments in
        environment.withUnsafeMutableBufferPointer { environment in
          var worker = fl_worker(
            path: path, arguments: arguments.baseAddress!, environment: environment.baseAddress!,
            output: output, file: file.descriptor, debug_file: debugFile?.descriptor ?? -1,
            memory: UInt64(limits.memory), seconds: UInt64(limits.seconds))
          return fl_worker_start(&worker, &pid, &process)
        }
      }
    }
  }
}
