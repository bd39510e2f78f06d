import Foundation
import Testing

@testable import BuildReader

/// The sandbox from within, by a C program that tries to get out of it.
@Suite struct SandboxTests {
  @Test func nothingIsLeftButMemoryAndOpenFiles() throws {
    let folder = try Folder()
    let result = try run(try program(in: folder))
    #expect(result.status == 0)
    var errors: [String: Int32] = [:]
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      errors[String(words[0])] = Int32(words[1])
    }
    #expect(errors.count == 23)
    let allowed = ["private", "read", "tgkill-self"]
    for (name, error) in errors {
      #expect(error == (allowed.contains(name) ? 0 : EACCES), "\(name)")
    }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/firstlight-sandbox"))
  }

  @Test func crashesKeepTheirSignalAndWantOfMemoryIsTold() throws {
    let folder = try Folder()
    let program = try program(in: folder)
    let null = try run(program, "null")
    #expect(null.signalled && null.status == SIGSEGV)
    let abort = try run(program, "abort")
    #expect(abort.signalled && abort.status == SIGABRT)
    for how in ["memory", "doubling"] {
      let memory = try run("/bin/sh", "-c", "ulimit -d 81920; exec \"$0\" \(how)", program)
      #expect(!memory.signalled && memory.status == 86, "\(how): status \(memory.status)")
    }
  }

  /// Its sources are the product's own.
  private func program(in folder: Folder) throws -> String {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sandbox = project.appending(path: "CSupport/WorkerSandbox")
    let program = folder.path + "/tries"
    let built = try run(
      "/usr/bin/env", "clang", "-I", sandbox.appending(path: "include").path,
      project.appending(path: "Tests/Fixtures/sandbox/tries.c").path,
      sandbox.appending(path: "sandbox.c").path, "-o", program)
    try #require(built.status == 0)
    return program
  }

  private func run(
    _ words: String...
  ) throws -> (status: Int32, signalled: Bool, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (
      process.terminationStatus, process.terminationReason == .uncaughtSignal, text
    )
  }
}
