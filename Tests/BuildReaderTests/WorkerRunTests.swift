import FirstlightModel
import Foundation
import Testing

@testable import BuildReader

/// Workers that do what readers of hostile files may come to do, and what the daemon makes of it.
@Suite struct WorkerRunTests {
  @Test func anAnswerArrivesWhole() throws {
    let answer = try run("dd if=/dev/zero bs=65536 count=15 2>/dev/null; printf end")
    #expect(answer.count == 15 * 65536 + 3)
    #expect(answer.suffix(3) == Array("end".utf8))
  }

  @Test func theFilesAreWhereTheyShouldBeAndNothingElseIs() throws {
    // All that a shell can tell of its descriptors; 9 and above are its own.
    let script = """
      for n in 0 1 2 3 4 5 6 7 8; do
        true <&$n 2>/dev/null && printf '%s ' $n; done; cat <&3; cat <&4; exit 0
      """
    let answer = try run(script, file: "first", debugFile: "second")
    #expect(String(decoding: answer, as: UTF8.self) == "0 1 2 3 4 firstsecond")
    #expect(String(decoding: try run(script, file: "first"), as: UTF8.self) == "0 1 2 3 first")
  }

  @Test func nothingOfTheEnvironmentIsPassedOn() throws {
    let names = String(decoding: try run("/usr/bin/env"), as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: "=").first }
    #expect(Set(names).subtracting(["SWIFT_BACKTRACE", "LD_LIBRARY_PATH", "PWD", "_"]) == [])
  }

  @Test func crashesAreReported() {
    #expect(reason("kill -SEGV $$") == "the reader crashed (Segmentation fault)")
    #expect(reason("printf half; kill -ABRT $$") == "the reader crashed (Aborted)")
    #expect(reason("kill -KILL $$") == "the reader was killed by SIGKILL")
    #expect(reason("exit 86") == "reading takes more than 64 MB of memory")
    #expect(reason("printf half; exit 7") == "the reader failed with exit status 7")
  }

  @Test func oneThatDoesNothingIsEnded() {
    #expect(
      reason("exec sleep 1000", wallSeconds: 1) == "reading does not finish within 1 s")
    // Also one that has said all, and one whose output nobody closes.
    #expect(
      reason("exec >&-; exec sleep 1000", wallSeconds: 1) == "reading does not finish within 1 s")
  }

  @Test func oneThatComputesForGoodIsEnded() {
    #expect(reason("while :; do :; done") == "reading takes more than 1 s of CPU time")
  }

  @Test func oneThatIgnoresItsLimitIsEndedAllTheSame() {
    #expect(reason("trap '' XCPU; while :; do :; done") == "the reader was killed by SIGKILL")
  }

  @Test func oneThatSaysTooMuchIsEnded() {
    #expect(reason("exec cat /dev/zero") == "the function table is larger than 1 MB")
  }

  @Test func memoryIsLimited() {
    // dd fails to get its buffer.
    #expect(
      reason("exec dd if=/dev/zero of=/dev/null bs=200M count=1")
        == "the reader failed with exit status 1")
  }

  @Test func aCancelledOneIsEnded() {
    let cancellation = WorkerRun.Cancellation()
    cancellation.cancel()
    #expect(
      throws: BuildReadError.unavailable(Failure(.unavailable, "firstlightd is stopping"))
    ) {
      try run("exec sleep 1000", cancellation: cancellation)
    }
  }

  @Test func missingProgramsAreReported() {
    #expect(
      throws: BuildReadError.unavailable(
        Failure(
          .unavailable, "cannot start a reader process: No such file or directory"))
    ) {
      try run(WorkerProgram(path: "/nowhere/firstlightd", arguments: ["firstlightd"]))
    }
  }

  @Test func invalidMessagesAreRefusedAndReported() async throws {
    let folder = try Folder()
    let file = try BuildFile(path: folder.write("x", to: "file"))
    for script in ["printf nonsense", "exit 0", "printf FLR2"] {
      let reader = BuildReader(
        WorkerProgram(path: "/bin/sh", arguments: ["sh", "-c", script]), debugDirectories: [],
        memoryLimit: 64 << 20)
      await #expect {
        try await reader.read(file, name: "file")
      } throws: { error in
        guard case .stopped(let reason) = error as? BuildReadError else { return false }
        return reason.hasPrefix("the reader's answer is malformed")
      }
    }
  }

  /// What stopped a worker that is a shell with this script; nil if nothing did.
  private func reason(_ script: String, wallSeconds: Int = 60) -> String? {
    do throws(BuildReadError) { _ = try run(script, wallSeconds: wallSeconds) } catch {
      if case .stopped(let reason) = error { return reason }
    }
    return nil
  }

  private func run(
    _ script: String, file: String = "x", debugFile: String? = nil, wallSeconds: Int = 60,
    cancellation: WorkerRun.Cancellation = .init()
  ) throws(BuildReadError) -> [UInt8] {
    try run(
      WorkerProgram(path: "/bin/sh", arguments: ["sh", "-c", script]), file: file,
      debugFile: debugFile, wallSeconds: wallSeconds, cancellation: cancellation)
  }

  private func run(
    _ program: WorkerProgram, file: String = "x", debugFile: String? = nil, wallSeconds: Int = 60,
    cancellation: WorkerRun.Cancellation = .init()
  ) throws(BuildReadError) -> [UInt8] {
    var limits = WorkerLimits(fileBytes: 0, memoryCap: 64 << 20)
    limits.seconds = 1
    limits.wallSeconds = wallSeconds
    limits.answerBytes = 1 << 20
    do {
      let folder = try Folder()
      return try WorkerRun(program: program, limits: limits, cancellation: cancellation).read(
        BuildFile(path: folder.write(file, to: "file")),
        debugFile: debugFile.map { try BuildFile(path: folder.write($0, to: "debug")) },
        arguments: [])
    } catch let error as BuildReadError {
      throw error
    } catch {
      throw .unfit(Failure(.system, "\(error)"))
    }
  }
}
