import DebugInfo
import FirstlightModel
import Foundation
import TestSupport
import Testing

/// What a compiler counts, against llvm-profdata and llvm-cov.
@Suite(.tags(.compiler)) struct CoverageTests {
  /// Oracle: Python's hashlib.
  @Test(
    arguments: [
      ("", 0x04b2_008f_d98c_1dd4), ("abc", 0xb04f_d23c_9850_0190),
      (String(repeating: "1234567890", count: 8), 0x55c9_e32b_a2f4_ed57),
      (String(repeating: "x", count: 55), 0x2f51_5ce2_2044_3604),
      (String(repeating: "x", count: 56), 0x8ef0_17ba_d572_8a66),
      (String(repeating: "x", count: 64), 0xd5b2_92d8_814f_bbc1),
    ] as [(String, UInt64)])
  func namesAreHashedByMD5(text: String, hash: UInt64) {
    #expect(NameHash.of(text.utf8) == hash)
  }

  private struct Row: Hashable {
    var name: String
    var file: String
    var line: Int
  }

  /// Static functions of one name, an inline function of two objects, one that no object uses, macros first, a file
  /// in another folder.
  @Test(arguments: [false, true]) func functionsOfCAreThoseOfLLVM(isRelative: Bool) throws {
    let box = try Toolbox()
    try box.run("mkdir", "sub")
    try box.write(
      """
      inline int shared(int x) { return x + 1; }
      inline int unused(int x) { return x + 2; }
      #define BODY(name) int name(int x) { return x ? x * 2 : 3; }
      """, to: "h.h")
    try box.write(
      """
      #include "h.h"
      static int local(int x) { return x * 3; }
      BODY(from_macro)
      int other(int x);
      int main(int count, char **words) {
        return count > 5 ? shared(count) + local(count) + from_macro(count) + other(count) : 0;
      }
      """, to: "a.cpp")
    try box.write(
      """
      #include "../h.h"
      static int local(int x) { return x * 4; }
      int other(int x) { return shared(x) + local(x); }
      """, to: "sub/b.cpp")
    let files = ["a.cpp", "sub/../sub/b.cpp"].map { isRelative ? $0 : box.path($0) }
    for level in ["-O0", "-O2"] {
      try box.run(
        ["clang++", level, "-fprofile-instr-generate", "-fcoverage-mapping", "-fuse-ld=lld"]
          + files + ["-o", "program"])
      let functions = try check(box)
      #expect(functions.contains { $0.hasSuffix("local") || $0.contains("local") })
    }
  }

  @Test(arguments: ["-Onone", "-O"]) func functionsOfSwiftAreThoseOfLLVM(level: String) throws {
    let box = try Toolbox()
    try box.write(
      """
      struct Box<T> { var v: T; func get() -> T { v }; func never() -> T { v } }
      @inline(__always) func tiny(_ x: Int) -> Int { x &+ 1 }
      private func hidden(_ x: Int) -> Int { x &* 5 }
      class C { var with = { 5 }(); func m() -> Int { 4 }; deinit { print("gone") } }
      let n = CommandLine.arguments.count
      if n > 5 { print(hidden(n), Box(v: 3).never()) }
      print(Box(v: n).get(), tiny(n), C().m(), [1].map { $0 + n })
      """, to: "main.swift")
    try box.write("private func hidden() {}\nfunc removed() { hidden() }\n", to: "b.swift")
    try box.run(
      "swiftc", level, "-profile-generate", "-profile-coverage-mapping", "-use-ld=lld",
      "main.swift", "b.swift", "-o", "program")
    let functions = try check(box)
    #expect(
      functions.contains { $0.contains("tiny") } && functions.contains { $0.contains("never") })
  }

  /// - Returns: the names.
  private func check(_ box: Toolbox) throws -> [String] {
    try box.run("env", "LLVM_PROFILE_FILE=\(box.path("raw"))", "./program")
    try box.run("llvm-profdata", "merge", "raw", "-o", "data")
    let export = try box.run(
      "llvm-cov", "export", "-format=lcov", "-instr-profile=data", "program")
    var expected: [Row] = []
    var file = ""
    for line in export.split(separator: "\n") {
      if line.hasPrefix("SF:") { file = String(line.dropFirst(3)) }
      guard line.hasPrefix("FN:"), let comma = line.firstIndex(of: ",") else { continue }
      let name = CounterName(String(line[line.index(after: comma)...])).linkerName
      expected.append(
        Row(name: name, file: file, line: Int(line[..<comma].dropFirst(3)) ?? -1))
    }
    let image = try DebugImage(path: box.path("program"), debugDirectories: [])
    let counted = try #require(try image.countedFunctions(recordedPath: "program"))
    let build = counted.build
    let rows = build.functions.compactMap { function in
      function.file.map { Row(name: function.name, file: $0, line: function.line) }
    }
    #expect(rows.count == expected.count)
    #expect(Set(rows) == Set(expected))
    // Each record, by name and hash.
    var name = ""
    var known = 0
    let shown = try box.run("llvm-profdata", "show", "--all-functions", "data")
    for line in shown.split(separator: "\n") {
      if line.hasPrefix("    Hash: 0x"), let code = UInt64(line.dropFirst(12), radix: 16) {
        let records = counted.records(name: name, code: code)
        #expect(!records.isEmpty, "\(name)")
        known += records.count
      } else if line.hasPrefix("  "), line.hasSuffix(":") {
        name = String(line.dropFirst(2).dropLast())
      }
    }
    #expect(known == build.guardCount && known > 3)
    return rows.map(\.name)
  }
}
