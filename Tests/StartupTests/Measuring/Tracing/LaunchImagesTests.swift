import FirstlightTracer
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import Startup

/// Which places of a file are watched. Addresses are those of nm and readelf.
@Suite struct LaunchImagesTests {
  /// What the tracer is told to watch in a file; nil: nothing.
  private func chosen(
    _ images: LaunchImages, _ path: String, isProgram: Bool = true
  ) -> fl_tracer_sites? {
    path.withCString { path in
      var sites = fl_tracer_sites()
      let file = fl_tracer_file(
        path: path, link: path, is_program: isProgram, is_command: isProgram)
      return images.choose(file, &sites) ? sites : nil
    }
  }

  private func addresses(_ sites: fl_tracer_sites?) -> [UInt64] {
    Array(UnsafeBufferPointer(start: sites?.addresses, count: Int(sites?.count ?? 0)))
  }

  private let guards = TracedProcess.fixture("guards")

  @Test func stagesAreToldByTheEntryPointAndTheInitializers() throws {
    let images = LaunchImages(.details(libraries: nil), watchesListen: false)
    let sites = try #require(chosen(images, guards))
    #expect(addresses(sites) == [0x201420, 0x201440])
    #expect(sites.image == 0 && sites.main_argument == .max)
    #expect(sites.main_image == LaunchImages.foundMain)
    let entry = images.entries[0]
    guard case .landmark(.start) = entry.place(0x201420) else {
      Issue.record("\(entry.place(0x201420))")
      return
    }
    guard case .landmark(.initializer(let name)) = entry.place(0x201440) else {
      Issue.record("\(entry.place(0x201440))")
      return
    }
    #expect(name == "sancov.module_ctor_trace_pc_guard")
    #expect(entry.isProgram && entry.isInstrumented && !entry.hasInterpreter)
    #expect(entry.loadedRange.lowerBound == 0x200000)
  }

  @Test(arguments: [false, true]) func fewPlacesMarkStages(isLetGo: Bool) {
    let images = LaunchImages(.stages(hasMain: false, isLetGo: isLetGo), watchesListen: false)
    #expect(addresses(chosen(images, guards)) == [0x201420])
    // Where `main` ends the stage before, the first instruction tells nothing.
    let known = LaunchImages(.stages(hasMain: true, isLetGo: isLetGo), watchesListen: false)
    #expect(chosen(known, guards) == nil)
    #expect(!known.isEmpty && !known.watchesCalls)
  }

  @Test func aLibraryHasNoStart() throws {
    let images = LaunchImages(.details(libraries: nil), watchesListen: false)
    #expect(addresses(chosen(images, guards, isProgram: false)) == [0x201440])
    // Nothing of it tells anything.
    #expect(chosen(images, TracedProcess.fixture("plain"), isProgram: false) == nil)
  }

  @Test func plainStartsAreNotWatched() {
    let images = LaunchImages(.plain, watchesListen: false)
    #expect(images.isEmpty && !images.watchesCalls)
    #expect(chosen(images, guards) == nil)
    #expect(!LaunchImages(.plain, watchesListen: true).isEmpty)
    #expect(!LaunchImages(.details(libraries: nil), watchesListen: false).isEmpty)
  }

  @Test func callsAreThoseOfTheProgramAndOfLibrariesThatFit() {
    let functions: [UInt64] = [0x201290, 0x2012a0, 0x2012b0, 0x2012c0, 0x201420, 0x201440]
    for (globs, isProgram, expected) in [
      ([], true, functions), ([], false, [0x201440]), (["libc.so*"], false, [0x201440]),
      (["gua*"], false, functions), (["*/elf/guards"], false, functions),
    ] as [([String], Bool, [UInt64])] {
      let images = LaunchImages(.details(libraries: globs), watchesListen: false)
      #expect(images.watchesCalls)
      #expect(
        addresses(chosen(images, guards, isProgram: isProgram)) == expected, "\(globs) \(isProgram)"
      )
    }
  }

  @Test func aFileIsReadOnceUntilItChanges() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("program")
    try FileManager.default.copyItem(atPath: guards, toPath: path)
    let images = LaunchImages(.details(libraries: nil), watchesListen: false)
    for _ in 0..<2 { #expect(chosen(images, path)?.image == 0) }
    #expect(images.entries.count == 1)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: TracedProcess.fixture("plain"), toPath: path)
    let sites = chosen(images, path)
    #expect(sites?.image == 1 && addresses(sites) == [0x201360])
  }

  @Test func aFileThatIsNoProgramIsLeftAlone() throws {
    let directory = try TemporaryDirectory()
    let images = LaunchImages(.details(libraries: nil), watchesListen: true)
    for path in [try directory.write("#!/bin/sh\n", to: "script"), directory.path("nowhere")] {
      #expect(chosen(images, path) == nil)
    }
    #expect(images.entries.isEmpty)
  }

  /// The C library is where the loader has put its functions in this very process.
  @Test func theCLibraryTellsOfMainAndOfListening() throws {
    let maps = try #require(ProcFile.text("/proc/self/maps")).split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 5)
    }
    /// Where a function is: the file, and how far from its beginning in memory.
    func place(_ name: String) throws -> (path: String, offset: UInt64) {
      let address = UInt64(UInt(bitPattern: try #require(dlsym(nil, name))))
      func bounds(_ words: [Substring]) -> [UInt64] {
        words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      }
      let mapping = try #require(maps.first { (bounds($0)[0]..<bounds($0)[1]).contains(address) })
      let first = try #require(maps.first { $0.last == mapping.last })
      return (mapping[5].trimmingCharacters(in: .whitespaces), address - bounds(first)[0])
    }
    let (path, listen) = try place("listen")
    let start = try place("__libc_start_main").offset
    let plain = LaunchImages(.plain, watchesListen: true)
    #expect(addresses(chosen(plain, path, isProgram: false)) == [listen])
    let images = LaunchImages(.details(libraries: nil), watchesListen: true)
    let sites = try #require(chosen(images, path, isProgram: false))
    let found = addresses(sites)
    #expect(found.contains(listen))
    guard case .listen = images.entries[0].place(listen) else {
      Issue.record("listen is not watched")
      return
    }
    #expect(sites.main_argument < sites.count)
    #expect(found[Int(sites.main_argument)] == start)
  }

  @Test func aProblemIsToldOnce() {
    let images = LaunchImages(.details(libraries: nil), watchesListen: false)
    for problem in ["a", "b", "a"] { images.note(problem) }
    #expect(images.problems == ["a", "b"])
  }
}
