import FirstlightModel
import FleetModel
import Foundation

/// Makes function tables from builds' files, each in a separate process without other abilities.
///
/// ELF and DWARF are too complex for a reader without errors, and any user may send or name a file.
/// So the reading process has no descriptors but the file's, no rights, little memory and little
/// time, and its answer is fully checked.
package final class BuildReader: Sendable {
  private let program: WorkerProgram
  private let debugDirectories: [String]
  private let memoryLimit: Int
  private let slots = WorkerSlots(count: 2, waitingLimit: 64)

  /// - Parameters:
  ///   - debugDirectories: folders with `.build-id/`, from our own configuration.
  ///   - memoryLimit: maximum memory for reading any file, bytes.
  package convenience init(debugDirectories: [String], memoryLimit: Int) {
    self.init(
      .ourselves, debugDirectories: debugDirectories, memoryLimit: memoryLimit)
  }

  init(_ program: WorkerProgram, debugDirectories: [String], memoryLimit: Int) {
    self.program = program
    self.debugDirectories = debugDirectories
    self.memoryLimit = memoryLimit
  }

  /// A function table, and the problem with its debug file, if that could not be used.
  package struct Reading: Sendable {
    package var table: FunctionTable
    /// The functions that the build's compiler counts; nil if it counts none.
    package var counted: FunctionTable?
    package var debugFileProblem: String?
  }

  /// The function table of a build.
  ///
  /// - Parameters:
  ///   - name: name of the build's file.
  ///   - expected: the required build; another one is unfit. Nil accepts any build.
  ///   - debugFile: a possible separate debug file.
  ///   - looksBeside: whether to search for a debug file beside the file.
  ///   - watched: whether breakpoints or probes watched the build, whatever it was built with.
  package func read(
    _ file: BuildFile, name: String, expecting expected: BuildID? = nil,
    debugFile: BuildFile? = nil, looksBeside: Bool = false, watched: Bool = false
  ) async throws(BuildReadError) -> Reading {
    let request = BuildWorker.Request(name: name, expected: expected, watched: watched)
    try await slots.take()
    defer { slots.release() }
    let cancellation = WorkerRun.Cancellation()
    let result = await withTaskCancellationHandler {
      await Self.onOwnThread {
        Result { () throws(BuildReadError) in
          try self.readBlocking(
            file, request, debugFile: debugFile, folder: looksBeside ? file.folder : nil,
            cancellation)
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  /// A worker dies with the thread that started it, so this uses a dedicated thread.
  private static func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.name = "build reader"
      thread.start()
    }
  }

  private func readBlocking(
    _ file: BuildFile, _ request: BuildWorker.Request, debugFile: BuildFile?, folder: String?,
    _ cancellation: WorkerRun.Cancellation
  ) throws(BuildReadError) -> Reading {
    let first = try read(file, debugFile, request, cancellation)
    guard case .success(let table) = first.result else { throw Self.unfit(first) }
    var best = Reading(table: table, counted: first.counted)
    guard let names = first.wantedDebugFile else { return best }
    let search = DebugFilePlaces(directories: debugDirectories, folder: folder)
    for place in search.places(for: names) {
      guard let candidate = try? BuildFile(path: place.path, trusted: place.isTrusted),
        candidate.identity != file.identity
      else { continue }
      do throws(BuildReadError) {
        let second = try read(file, candidate, request, cancellation)
        guard case .success(let table) = second.result, second.wantedDebugFile == nil else {
          continue
        }
        return Reading(table: table, counted: second.counted ?? first.counted)
      } catch {
        guard case .stopped(let reason) = error else { throw error }
        best.debugFileProblem = "\(place.path): \(reason)"
      }
    }
    return best
  }

  /// The report of one worker on a file.
  private func read(
    _ file: BuildFile, _ debugFile: BuildFile?, _ request: BuildWorker.Request,
    _ cancellation: WorkerRun.Cancellation
  ) throws(BuildReadError) -> BuildReading {
    let limits = WorkerLimits(
      fileBytes: file.size + (debugFile?.size ?? 0), memoryCap: memoryLimit)
    let answer = try WorkerRun(program: program, limits: limits, cancellation: cancellation).read(
      file, debugFile: debugFile, arguments: request.arguments)
    do throws(Failure) {
      let reading = try BuildReading(decoding: answer, path: request.name, rows: limits.rows)
      if case .success(let table) = reading.result, let expected = request.expected,
        table.build.buildID != expected
      {
        throw Failure(.data, "not the requested build")
      }
      return reading
    } catch {
      throw .stopped("the reader's answer is malformed (\(error))")
    }
  }

  private static func unfit(_ reading: BuildReading) -> BuildReadError {
    if case .failure(let failure) = reading.result { return .unfit(failure) }
    return .unfit(Failure(.data, "contains no functions"))
  }
}
