import DeadCode
import Foundation
import Testing

@testable import SourcePruning

/// What goes with a function of C, by the ranges that clang gives.
@Suite struct ClangRemovalTests {
  /// Removes functions that are marked with `//-`, by clang's own dump.
  private func pruned(_ marked: String) throws -> (text: String, removal: SourceRemoval) {
    var targets: [DeclarationTarget] = []
    var lines: [Substring] = []
    for line in marked.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: " //- ", maxSplits: 1)
      lines.append(parts.first ?? "")
      if parts.count == 2 { targets.append(.init(name: String(parts[1]), line: lines.count)) }
    }
    let source = lines.joined(separator: "\n")
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).c")
    try Data(source.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let functions = try Set(targets.map(\.name)).flatMap { try dump($0, file) }
    let removal = ClangRemoval(Array(source.utf8)).removal(of: targets, among: functions)
    var rest = Array(source.utf8)
    for range in removal.ranges.reversed() { rest.removeSubrange(range) }
    return (String(decoding: rest, as: UTF8.self), removal)
  }

  private func dump(_ name: String, _ file: URL) throws -> [ClangFunction] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang",
      "-ast-dump-filter=\(name)", file.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let dump = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return ClangFunction.all(inDump: String(decoding: dump, as: UTF8.self))
  }

  @Test func functionGoesWithItsCommentsAndAttributes() throws {
    let (text, removal) = try pruned(
      """
      /* Of the file. */
      #include <stddef.h>

      /* Of first. */
      static int first(int x) { return x; }

      // Remark.
      /** Of second.
       *  In full. */
      __attribute__((noinline))
      static size_t
      second(int x) //- second
      {
      #if 1
        return first(x);
      #endif
      }  // end of second

      int third(void) { return 1; }

      """)
    #expect(
      text == """
        /* Of the file. */
        #include <stddef.h>

        /* Of first. */
        static int first(int x) { return x; }

        int third(void) { return 1; }

        """)
    #expect(removal.removed.map(\.name) == ["second"])
  }

  @Test func prototypesGo() throws {
    let (text, _) = try pruned(
      """
      int a(int x); //- a
      extern int b(int x)
        __attribute__((const)); // of b
      int c(void);
      int a(int x) { return x; } //- a

      """.replacing("b(int x)\n", with: "b(int x) //- b\n"))
    #expect(text == "int c(void);\n")
  }

  @Test func functionsInTheOldStyleGo() throws {
    let (text, _) = try pruned(
      "int keep;\nint a(x, y) //- a\n  int x;\n  int y;\n{\n  return x + y;\n}\n")
    #expect(text == "int keep;\n")
  }

  @Test func macrosStay() throws {
    let source = "#define F(name) static int name(void) { return 1; }\nF(a) //- a\n"
    let (text, removal) = try pruned(source)
    #expect(text == source.replacing(" //- a", with: ""))
    #expect(removal.kept.values.first == .macro)
  }

  @Test func whatIsDeclaredWithOthersStays() throws {
    #expect(
      try pruned("int a(int), b(int); //- a\n").removal.kept.values.first == .sharedDeclaration)
    #expect(
      try pruned("int a(int), b(int); //- b\n").removal.kept.values.first == .sharedDeclaration)
  }

  @Test func conditionalCodeStays() throws {
    #expect(
      try pruned("#ifndef X\nint a(void) { return 1; } //- a\n#endif\n").removal.kept.values.first
        == .conditional)
    #expect(
      try pruned("#ifndef A_H\n#define A_H\nint a(void); //- a\n#endif\n").text
        == "#ifndef A_H\n#define A_H\n#endif\n")
  }

  @Test func functionsOfOtherFilesAreNotFound() throws {
    #expect(try pruned("int b;\n//- a\n").removal.removed.isEmpty)
    let other = ClangFunction(name: "abc", nameOffset: 900, range: 800..<1000, hasBody: true)
    let removal = ClangRemoval(Array("int abc;\n".utf8)).removal(
      of: [DeclarationTarget(name: "abc", line: 1)], among: [other])
    #expect(removal.kept.values.first == .notFound)
  }
}
