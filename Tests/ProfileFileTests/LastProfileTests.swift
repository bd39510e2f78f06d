import FirstlightModel
import Foundation
import ProfileFile
import TestSupport
import Testing

/// The profile that a command reads if none is named.
@Suite struct LastProfileTests {
  private let directory: TemporaryDirectory
  private var folder: URL { directory.url }

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ name: String, age seconds: Double) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: file.path)
  }

  @Test func theNewestOneIsFound() throws {
    try write("old.flp", age: 30)
    try write("new.flp.partial", age: 1)
    try write("new.txt", age: 1)
    try write("deeper/newer.flp", age: 1)
    #expect(try LastProfile.find(in: folder.path) == folder.appending(path: "old.flp").path)
    try write(".build-firstlight/tests.flp", age: 20)
    #expect(try LastProfile.find(in: folder.path).hasSuffix("/.build-firstlight/tests.flp"))
    try write("new.flp", age: 10)
    #expect(try LastProfile.find(in: folder.path).hasSuffix("/new.flp"))
  }

  @Test func anInterruptedRunIsReadOnlyWhereItIsNamed() throws {
    try write(".build-firstlight/tests.flp", age: 20)
    let profile = try LastProfile.find(in: folder.path)
    #expect(LastProfile.interrupted(profile).hasSuffix("/tests.interrupted.flp"))
    try write(".build-firstlight/tests.interrupted.flp", age: 1)
    #expect(try LastProfile.find(in: folder.path) == profile)
    #expect(LastProfile.interrupted("a") == "a.interrupted.flp")
  }

  @Test func aRunOfSomeTestsIsReadIfThereIsNoOther() throws {
    #expect(LastProfile.partial("a/tests.flp") == "a/tests.partial.flp")
    try write(".build-firstlight/tests.partial.flp", age: 1)
    #expect(try LastProfile.find(in: folder.path).hasSuffix("/tests.partial.flp"))
    try write(".build-firstlight/tests.flp", age: 20)
    #expect(try LastProfile.find(in: folder.path).hasSuffix("/tests.flp"))
  }

  @Test func theTestsOwnProfileIsNotTheProgramsToo() throws {
    try write("app.flp", age: 2)
    try write("tests.flp", age: 1)
    let (app, tests) = (directory.path("app.flp"), directory.path("tests.flp"))
    let link = directory.path("link.flp")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: tests)
    let failure = #expect(throws: Failure.self) { try LastProfile.named([link], tests: [tests]) }
    #expect(failure?.kind == .usage)
    #expect(try LastProfile.named([app], tests: [tests]) == [app])
    #expect(try LastProfile.named([link]) == [link])
  }

  @Test func aFolderWithoutAnyIsNamedAsThat() {
    let failure = #expect(throws: Failure.self) { try LastProfile.find(in: folder.path) }
    #expect(failure?.kind == .noInput)
  }
}
