import Testing

@testable import NeverCalled
@testable import Pruning

/// How the lines that a file loses divide among the removed declarations.
@Suite struct RemovedLineTests {
  private func counts(_ marked: String, isDeleted: Bool = false) -> [String: Int] {
    let removal = pruned(marked).removal
    let source = marked.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.split(separator: " //- ", maxSplits: 1).first ?? "" }.joined(separator: "\n")
    let counts = removal.lineCounts(in: Array(source.utf8), isDeleted: isDeleted)
    return Dictionary(uniqueKeysWithValues: counts.map { ($0.key.name, $0.value) })
  }

  @Test func commentsAndBlankLinesCountWithADeclaration() {
    let source = """
      let a = 1

      /// Of f.
      func f() -> Int { //- f()
        1
      }

      /// Of g.
      func g() {} //- g()

      let b = 1

      """
    #expect(counts(source) == ["f()": 5, "g()": 3])
  }

  @Test func whatIsLeftOfATypeCountsWithItsMembers() {
    let source = """
      let a = 1
      extension Int {

        func f() {} //- f()

        func g() {} //- g()
      }

      """
    #expect(counts(source) == ["f()": 4, "g()": 2])
  }

  @Test func aFileThatGoesCountsAsAWhole() {
    let source = "import M\n\nfunc f() {} //- f()\nfunc g() {} //- g()\n"
    #expect(counts(source, isDeleted: true) == ["f()": 3, "g()": 1])
    #expect(counts("let a = 1\nfunc f() {} //- f()\n") == ["f()": 1])
  }
}
