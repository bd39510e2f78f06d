import FirstlightModel
import FleetModel
import Foundation

/// Makes function tables of builds' files, each in a process of its own that can do nothing else.
///
/// ELF and DWARF are too rich for a reader to be sure of, and anybody may send a file or name one. So
/// what reads them has no descriptors but the file's, no rights, little memory and little time, and
/// what it says is taken on trust in nothing.
package final class BuildReader: Sendable {
  private let program: WorkerProgram
  private let debugDirectories: [String]
  private let memoryLimit: Int
  private let slots = WorkerSlots(count: 2, waitingLimit: 64)

  /// - Parameters:
  ///   - debugDirectories: with `.build-id/` below them, of our own configuration.
  ///   - memoryLimit: the most bytes for reading a file, however large it is.
  package convenience init(debugDirectories: [String], memoryLimit: Int) {
    self.init(
      .ourselves, debugDirectories: debugDirectories, memoryLimit: memoryLimit)
  }

  init(_ program: WorkerProgram, debugDirectories: [String], memoryLimit: Int) {
    self.program = program
    self.debugDirectories = debugDirectories
    self.memoryLimit = memoryLimit
  }

  /// A function table, and what went wrong with its debug file, which it then is without.
  package struct Reading: Sendable {
    package var table: FunctionTable
    package var debugFileProblem: String?
  }

  /// The function table of a build.
  ///
  /// - Parameters:
  ///   - name: what the build's file is called.
  ///   - expected: which build it has to be; any other is unfit. Nil: any will do.
  ///   - debugFile: what may be its separate debug file.
  ///   - looksBeside: whether a debug file may lie where the file lies.
  package func read(
    _ file: BuildFile, name: String, expecting expected: BuildID? = nil,
    debugFile: BuildFile? = nil, looksBeside: Bool = false
  ) async throws(BuildReadError) -> Reading {
    let request = BuildWorker.Request(name: name, expected: expected)
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

  /// Workers die with the thread that started them, so it has to be one that stays.
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
    var best = Reading(table: table)
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
        return Reading(table: table)
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
