import Foundation
import Testing

@testable import DeclarationRemoval

/// Marks come into the source and out of it again.
@Suite struct MarkingTests {
  private static let mark = RetirementMark(from: "2026-08-01", to: "2026-09-12", runs: 1200)
  private static let swift =
    "@available(*, deprecated, message: \"never called from 2026-08-01 to 2026-09-12 in "
    + "1200 runs (firstlight)\")"

  private func inserted(_ marking: SourceMarking, _ source: String) -> String {
    var bytes = Array(source.utf8)
    for insertion in marking.insertions.sorted(by: { $0.place > $1.place }) {
      bytes.insert(contentsOf: insertion.text.utf8, at: insertion.place)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func removed(_ marks: [MarkedDeclaration], _ source: String) -> String {
    var bytes = Array(source.utf8)
    for mark in marks.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.removeSubrange(mark.range)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func textOfAMarkIsReadAgain() {
    #expect(RetirementMark(in: "x \(Self.mark.text) y") == Self.mark)
    let once = RetirementMark(from: "2026-08-01", to: "2026-08-01", runs: 1)
    #expect(once.text.contains("in 1 run (firstlight)") && RetirementMark(in: once.text) == once)
    for text in ["never called", "never called from 2026-08-01 to x in 3 runs (firstlight)", ""] {
      #expect(RetirementMark(in: text) == nil)
    }
  }

  @Test func swiftDeclarationsAreMarkedAboveTheirAttributes() {
    let source = """
      struct Ware {
        /// Documented.
        @inline(never)
        func old() -> Int { 1 }
        var total: Int { 2 }
        init(old: Int) {}
      }
      struct Small { func f() {} }
      let (a, b) = (1, 2)

      """
    let marking = SwiftRemoval(Array(source.utf8)).marking(of: [
      .init(name: "old()", line: 4): Self.mark, .init(name: "total", line: 5): Self.mark,
      .init(name: "init(old:)", line: 6): Self.mark, .init(name: "f()", line: 8): Self.mark,
    ])
    let result = inserted(marking, source)
    #expect(
      result == """
        struct Ware {
          /// Documented.
          \(Self.swift)
          @inline(never)
          func old() -> Int { 1 }
          \(Self.swift)
          var total: Int { 2 }
          \(Self.swift)
          init(old: Int) {}
        }
        struct Small { \(Self.swift) func f() {} }
        let (a, b) = (1, 2)

        """)
    let marked = SwiftRemoval(Array(result.utf8)).marked
    #expect(marked.map(\.lines) == [3...5, 6...7, 8...9, 11...11])
    #expect(marked.allSatisfy { $0.mark == Self.mark })
    #expect(removed(marked, result) == source)
  }

  @Test func otherDeprecationsStay() {
    let source = """
      @available(*, deprecated, message: "use new()")
      func old() {}
      #if DEBUG
      func inBranch() {}
      #endif

      """
    let removal = SwiftRemoval(Array(source.utf8))
    let old = DeclarationTarget(name: "old()", line: 2)
    let branch = DeclarationTarget(name: "inBranch()", line: 4)
    let marking = removal.marking(of: [old: Self.mark, branch: Self.mark])
    #expect(marking.insertions.isEmpty)
    #expect(marking.kept == [old: .deprecated, branch: .conditional])
    #expect(removal.marked.isEmpty)
  }

  @Test func lineEndsOfTheFileAreKept() {
    let source = "struct S {\r\n\tfunc f() {}\r\n}\r\n"
    let marking = SwiftRemoval(Array(source.utf8)).marking(of: [
      .init(name: "f()", line: 2): Self.mark
    ])
    let result = inserted(marking, source)
    #expect(result == "struct S {\r\n\t\(Self.swift)\r\n\tfunc f() {}\r\n}\r\n")
    #expect(removed(SwiftRemoval(Array(result.utf8)).marked, result) == source)
  }

  private static let c =
    "__attribute__((deprecated(\"never called from 2026-08-01 to 2026-09-12 in 1200 runs "
    + "(firstlight)\")))"

  @Test func prototypesAndDefinitionsInCAreMarked() {
    let source = "int f(int x);\n\nstatic int\ng(void)\n{\n  return 1;\n}\n"
    let functions = [
      ClangFunction(name: "f", nameOffset: 4, range: 0..<12, hasBody: false),
      ClangFunction(name: "g", nameOffset: 26, range: 15..<49, hasBody: true),
    ]
    let removal = ClangRemoval(Array(source.utf8))
    let marking = removal.marking(
      of: [.init(name: "f", line: 1): Self.mark, .init(name: "g", line: 4): Self.mark],
      among: functions)
    let result = inserted(marking, source)
    #expect(
      result == "\(Self.c)\nint f(int x);\n\n\(Self.c)\nstatic int\ng(void)\n{\n  return 1;\n}\n")
    let marked = ClangRemoval(Array(result.utf8)).marked
    #expect(marked.map(\.names) == [["f"], ["g"]])
    #expect(marked.map(\.lines) == [1...2, 4...9])
    #expect(removed(marked, result) == source)
  }
}
