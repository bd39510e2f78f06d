import FirstlightModel
import Testing

@testable import ReferenceIndex

@Suite struct FreshnessTests {
  private func unit(_ name: String, time: Int) -> IndexUnit {
    IndexUnit(
      name: name, mainFile: "/p/\(name).swift", module: "M", outputFile: "/b/\(name).o",
      time: time, records: [])
  }

  private func check(
    _ units: [IndexUnit], _ times: [String: Int], recorded: Set<TextBytes> = [], built: Int? = nil
  ) -> Failure? {
    do {
      try IndexFreshness { times[$0] }.check(
        units, store: "/s", recorded: recorded, built: built)
      return nil
    } catch { return error }
  }

  @Test func sourceOlderThanItsIndexIsFine() {
    #expect(check([unit("a", time: 5)], ["/p/a.swift": 4, "/b/a.o": 6], built: 7) == nil)
  }

  @Test func sourceChangedAfterItsIndexIsRefused() {
    let failure = check(
      [unit("a", time: 5), unit("b", time: 5)],
      ["/p/a.swift": 6, "/b/a.o": 6, "/p/b.swift": 8, "/b/b.o": 6])
    #expect(failure?.kind == .data)
    #expect(
      failure?.problem
        == "/s: /p/a.swift and 1 more changed after the build that wrote the index")
  }

  @Test func sourceChangedAfterTheBinaryWasBuiltIsRefused() {
    let failure = check([unit("a", time: 9)], ["/p/a.swift": 8, "/b/a.o": 9], built: 7)
    #expect(failure?.problem == "/s: /p/a.swift changed after the binary was built")
  }

  /// git sets the time of files that it restores.
  @Test func aSourceWithTheContentsOfTheRecordingIsFine() throws {
    let times = ["/p/a.swift": 9, "/b/a.o": 6]
    let freshness = IndexFreshness(time: { times[$0] }, isSame: { $0 == "/p/a.swift" })
    try freshness.check([unit("a", time: 5)], store: "/s", built: 6, ended: 8)
    // An index of other contents may have been written since.
    #expect(throws: Failure.self) {
      try freshness.check([unit("a", time: 5)], store: "/s", built: 6, ended: 4)
    }
  }

  @Test func unitsWithoutObjectFileCountIfTheBinaryHasTheirSource() {
    let units = [unit("a", time: 5), unit("b", time: 5)]
    let times = ["/p/a.swift": 4, "/b/a.o": 6, "/p/b.swift": 8]
    #expect(check(units, times) == nil)
    #expect(check(units, times, recorded: ["/p/a.swift"]) == nil)
    // A compiler that links as well removes the object file.
    #expect(check(units, times, recorded: ["/p/b.swift"])?.kind == .data)
  }

  @Test func anIndexWithoutItsSourceIsRefused() {
    #expect(check([unit("a", time: 5)], [:])?.kind == .data)
    #expect(check([], [:])?.kind == .data)
  }

  @Test func theNewestUnitOfAFileIsKept() {
    let old = unit("a", time: 3)
    var new = unit("a", time: 4)
    new.name = "other"
    #expect(IndexStore.newest([old, new]).map(\.name) == ["other"])
    #expect(IndexStore.newest([new, old]).map(\.name) == ["other"])
  }

  /// As clang leaves them when it compiles and links in one call.
  @Test func aUnitThatNothingReplacesIsLeftOutWhenItsSourceIsCompiledAgain() {
    var (old, new, variant) = (unit("a", time: 3), unit("a", time: 8), unit("a", time: 7))
    (old.outputFile, new.outputFile, variant.outputFile) = ("/t/1.o", "/t/2.o", "/t/3.o")
    func times(_ units: [IndexUnit], _ files: [String: Int]) -> [Int] {
      IndexStore.current(units) { files[$0] }.map(\.time)
    }
    #expect(times([old, variant, new], ["/p/a.swift": 5]) == [7, 8])
    // Of the same source, as another program's; of an object that is there; of one not built since.
    #expect(times([old, new], ["/p/a.swift": 2]) == [3, 8])
    #expect(times([old, new], ["/p/a.swift": 5, "/t/1.o": 3]) == [3, 8])
    #expect(times([old, new], ["/p/a.swift": 9]) == [3, 8])
  }
}
