// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Built and run by Scripts/fuzz; no target of the package.
import FirstlightModel
import Glibc

@testable import ProfileFile

/// Where an input is put for SQLite, which opens files by name: in memory.
private let path = "/dev/shm/firstlight-fuzz-\(getpid()).flp"

/// Reads one input as a profile, and stops the program where a promise of the reader is broken.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProfile(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  // Its traces are numbers of our own making: seen bare, they are changed more often.
  let bytes = UnsafeRawBufferPointer(start: start, count: size)
  if let calls = TraceBlob.decode(bytes, count: size / 5, guardCounts: [1000, 7]) {
    precondition(calls.count == size / 5)
    precondition(calls.allSatisfy { $0.guardIndex < ($0.build == 0 ? 1000 : 7) })
  }
  if let returns = ReturnsBlob.decode(bytes, count: size / 4) {
    precondition(returns.count == size / 4)
    check(returns)
  }
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  precondition(write(file, start, size) == size)
  close(file)
  defer { unlink(path) }
  do throws(Failure) {
    check(try ProfileFile.read(path))
  } catch {
    // Bad input has one clear line.
    precondition(!error.problem.isEmpty && !error.problem.contains("\n"))
  }
  return 0
}

private func check(_ returns: [CallOutcome]) {
  for (index, call) in returns.enumerated() {
    precondition((-1..<index).contains(Int(call.parent)))
  }
  _ = returns.reduce(0 as UInt64) { $0 + ($1.duration ?? 0) }
}

private func check(_ profile: Profile) {
  for recorded in profile.builds {
    precondition(recorded.coverage.count == recorded.build.guardCount)
    precondition(recorded.build.functions.count == recorded.build.entryGuards.count)
    for index in recorded.build.entryGuards {
      precondition(Int(index) < recorded.build.guardCount)
    }
  }
  let runs = Set(profile.runs.map(\.id))
  for process in profile.processes {
    precondition(runs.contains(process.run))
    for call in process.calls {
      let build = profile.builds[Int(call.build)].build
      precondition(Int(call.guardIndex) < build.guardCount)
    }
    precondition(process.returns.isEmpty || process.returns.count == process.calls.count)
    check(process.returns)
    for (a, b) in zip(process.marks, process.marks.dropFirst()) { precondition(a.time <= b.time) }
    // Whoever adds them up must not overflow.
    let stages = process.launch?.stages ?? []
    _ = stages.reduce(0) { $0 + $1.duration + $1.minorFaults + $1.majorFaults }
    for (a, b) in zip(stages, stages.dropFirst()) { precondition(a.start + a.duration == b.start) }
  }
  // What was read can be worked with.
  _ = profile.builds.map { $0.build.function(ofGuard: 0) }
}
