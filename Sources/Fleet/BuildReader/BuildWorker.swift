import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import WorkerSandbox

/// The role of a firstlightd process that was started to read a file.
package enum BuildWorker {
  /// The first argument of a worker process.
  static let command = "read-build"

  /// The task of a worker process.
  struct Request: Hashable, Sendable {
    /// The file's name, for messages: printable, and no longer than a name.
    var name: String
    /// The required build; nil for any.
    var expected: BuildID?
    /// Whether breakpoints or probes watched it.
    var watched = false

    init(name: String, expected: BuildID?, watched: Bool = false) {
      self.name = BuildReading.sentence(name, limit: 255)
      self.expected = expected
      self.watched = watched
    }

    /// The arguments after `command`.
    var arguments: [String] { [name, watched ? "watched" : "own", expected?.description ?? ""] }
  }

  /// If another firstlightd started this process to read a file, reads it and exits.
  ///
  /// The file is an inherited descriptor, and the answer goes to standard output. Call this before
  /// anything else in the process, which must have only one thread.
  package static func runIfAsked(_ arguments: [String]) {
    guard arguments.count == 5, arguments[1] == command else { return }
    let request = Request(
      name: arguments[2], expected: BuildID(arguments[4]), watched: arguments[3] == "watched")
    let result = Result { () throws(Failure) in
      let file = try MappedFile(descriptor: CInt(FL_WORKER_FILE), name: request.name)
      let debug = CInt(FL_WORKER_DEBUG_FILE)
      let debugFile =
        fcntl(debug, F_GETFD) < 0
        ? nil : try MappedFile(descriptor: debug, name: "the debug file of \(request.name)")
      // The trial for zstd opens a file, which the sandbox forbids.
      _ = SectionCompression.canInflateZstd
      guard fl_sandbox_enter() == 0 else { _exit(Failure.Kind.system.rawValue) }
      return try read(file, debugFile, request)
    }
    switch result {
    case .success(let reading): write(reading.encoded())
    case .failure(let failure): write(BuildReading(result: .failure(failure)).encoded())
    }
    // All work is done, and exit handlers must not run in a worker.
    _exit(0)
  }

  private static func read(
    _ file: MappedFile, _ debugFile: MappedFile?, _ request: Request
  ) throws(Failure) -> BuildReading {
    let image = try DebugImage(file: file, debugFile: debugFile)
    if let expected = request.expected, image.buildID != expected {
      throw Failure(.data, "\(image.path): not the build that ran")
    }
    var table = try FunctionTable(
      of: image, recordedPath: image.path, watched: request.watched)
    table.hasProvenID =
      image.buildID.map { id in file.withContents { LinkedBuildID.isProven(id, by: $0) } } ?? false
    var counted: FunctionTable?
    if table.key.counters != nil {
      counted = try image.countedFunctions(recordedPath: image.path).map {
        FunctionTable(build: $0.build, bodies: [])
      }
      counted?.hasProvenID = table.hasProvenID
    }
    return BuildReading(
      result: .success(table), counted: counted,
      wantedDebugFile: image.lacksDebugFile
        ? .init(buildID: image.buildID, link: image.debugLink) : nil)
  }

  private static func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      // The process that reads the answer has ended.
      if (try? FileContents.write(bytes, to: STDOUT_FILENO)) == nil {
        _exit(Failure.Kind.inputOutput.rawValue)
      }
    }
  }
}

/// The program of a worker: this program, started with another command.
struct WorkerProgram: Sendable {
  var path: String
  /// The first argument is the program's name.
  var arguments: [String]

  /// The running program, even if another file replaced it.
  static let ourselves = WorkerProgram(
    path: "/proc/self/exe", arguments: ["firstlightd", BuildWorker.command])

  /// A worker's environment: only the path of its libraries. Swift's backtraces are off, since they
  /// start another program.
  static var environment: [String] {
    let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
    return ["SWIFT_BACKTRACE=enable=no"] + (libraries.map { [$0] } ?? [])
  }
}
