import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import WorkerSandbox

/// What firstlightd is when it was started to read a file.
package enum BuildWorker {
  /// The first argument of such a process.
  static let command = "read-build"

  /// The task of such a process.
  struct Request: Hashable, Sendable {
    /// The file's name, for messages: printable, and no longer than a name.
    var name: String
    /// Which build it has to be; nil: any.
    var expected: BuildID?

    init(name: String, expected: BuildID?) {
      self.name = BuildReading.sentence(name, limit: 255)
      self.expected = expected
    }

    /// Behind `command`.
    var arguments: [String] { [name] + (expected.map { [$0.description] } ?? []) }
  }

  /// If the process was started by another firstlightd to read a file, does that and ends.
  ///
  /// The file was given as a descriptor; its contents are written to standard output. To be called before
  /// anything else happens in the process: it has to have one thread.
  package static func runIfAsked(_ arguments: [String]) {
    guard arguments.count >= 3, arguments[1] == command else { return }
    let request = Request(
      name: arguments[2], expected: arguments.count > 3 ? BuildID(arguments[3]) : nil)
    let result = Result { () throws(Failure) in
      let file = try MappedFile(descriptor: CInt(FL_WORKER_FILE), name: request.name)
      let debug = CInt(FL_WORKER_DEBUG_FILE)
      let debugFile =
        fcntl(debug, F_GETFD) < 0
        ? nil : try MappedFile(descriptor: debug, name: "the debug file of \(request.name)")
      guard fl_sandbox_enter() == 0 else { _exit(Failure.Kind.system.rawValue) }
      return try read(file, debugFile, request)
    }
    switch result {
    case .success(let reading): write(reading.encoded())
    case .failure(let failure): write(BuildReading(result: .failure(failure)).encoded())
    }
    // Nothing is left to do, and exit handlers are none of this process's business.
    _exit(0)
  }

  private static func read(
    _ file: MappedFile, _ debugFile: MappedFile?, _ request: Request
  ) throws(Failure) -> BuildReading {
    let image = try DebugImage(file: file, debugFile: debugFile)
    if let expected = request.expected, image.buildID != expected {
      throw Failure(.data, "\(image.path): not the build that ran")
    }
    let table = try FunctionTable(of: image, recordedPath: image.path)
    return BuildReading(
      result: .success(table),
      wantedDebugFile: image.lacksDebugFile
        ? .init(buildID: image.buildID, link: image.debugLink) : nil)
  }

  private static func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      // The reader is gone.
      if (try? FileContents.write(bytes, to: STDOUT_FILENO)) == nil {
        _exit(Failure.Kind.inputOutput.rawValue)
      }
    }
  }
}

/// What a worker may take to read files of a certain size.
///
/// Little enough that a small file made to do harm ends soon, and several times what honest builds take;
/// Documentation/Fleet.md has both in figures.
struct WorkerLimits: Hashable, Sendable {
  /// Bytes of private writable memory.
  var memory: Int
  /// Of processor time.
  var seconds: Int
  /// On the clock, as a busy machine may give a worker little of a processor.
  var wallSeconds: Int
  /// Of the answer.
  var answerBytes: Int
  /// Functions, names and symbols in the answer.
  var rows: Int

  /// - Parameters:
  ///   - fileBytes: of all files that are read at once.
  ///   - memoryCap: the most memory for any file.
  init(fileBytes: Int, memoryCap: Int) {
    let megabytes = min(max(0, fileBytes), 1 << 40) >> 20
    memory = min(memoryCap, (192 + 6 * megabytes) << 20)
    seconds = 2 + megabytes / 4
    wallSeconds = 20 + 4 * seconds
    answerBytes = min(256 << 20, (4 + 2 * megabytes) << 20)
    // Each has 16 bytes of code or of the symbol table at least.
    rows = min(4_000_000, 10_000 + fileBytes / 16)
  }
}

/// The program that a worker runs: this very one, started by another command.
struct WorkerProgram: Sendable {
  var path: String
  /// The first is the program's name.
  var arguments: [String]

  /// The program that runs now, even if another file has its place by now.
  static let ourselves = WorkerProgram(
    path: "/proc/self/exe", arguments: ["firstlightd", BuildWorker.command])

  /// What a worker knows of our environment: where its libraries are. No backtrace of Swift's, which
  /// another program would make.
  static var environment: [String] {
    let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
    return ["SWIFT_BACKTRACE=enable=no"] + (libraries.map { [$0] } ?? [])
  }
}
