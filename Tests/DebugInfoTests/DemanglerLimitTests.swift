import Testing

@testable import DebugInfo

/// No name overflows a stack, however it is nested. What a text can take up is not limited here: see
/// Documentation/Threats.md.
@Suite struct DemanglerLimitTests {
  /// Shapes that nest or repeat one thing, of every length up to beyond the limit.
  @Test(arguments: [300, 1000, 4000, 100_000])
  func deepNamesCostLittle(count: Int) {
    let names = Self.nested(count)
    let texts = Demangler.demangle(names)
    #expect(texts.count == names.count)
    #expect(texts.allSatisfy { $0.utf8.count <= max(128 << 10, count + 16) })
    if count > Demangler.longestName { #expect(texts == names) }
  }

  /// Threads of Dispatch have small stacks.
  @Test func smallStacksSuffice() async {
    let names = Self.nested(250) + Self.nested(500)
    await withTaskGroup(of: Int.self) { group in
      for name in names { group.addTask { Demangler.demangle(name).utf8.count } }
      for await count in group { #expect(count > 0) }
    }
  }

  /// Names of about `count` bytes.
  private static func nested(_ count: Int) -> [String] {
    func repeated(_ start: String, _ unit: String, _ end: String) -> String {
      let times = max(0, count - start.utf8.count - end.utf8.count) / unit.utf8.count
      return start + String(repeating: unit, count: times) + end
    }
    func around(_ start: String, _ open: String, _ middle: String, _ close: String, _ end: String)
      -> String
    {
      let times = max(0, count - 24) / (open.utf8.count + close.utf8.count)
      return start + String(repeating: open, count: times) + middle
        + String(repeating: close, count: times) + end
    }
    let swift = ["Sg", "m", "_t", "yyc", "Xp", "XMT", "Sgm", "yc"].map {
      repeated("$s4main1fyySi", $0, "F")
    }
    let pieces = ["TA", "TR", "yyXEfU_", "fA_", "1aV", "AAV"].map {
      repeated("$s4main1fyyF", $0, "")
    }
    let cxx = ["P", "PK", "A1_", "C", "G", "PFv"].map { repeated("_Z1f", $0, "i") }
    return swift + pieces + cxx + [
      around("$s4main1fyy", "Say", "Si", "G", "F"), around("_Z1f", "St4pairIi", "i", "E", ""),
      around("_Z1f", "PF", "i", "vE", ""), around("_Z1f", "1aIX", "Li1E", "EE", ""),
      around("_Z", "ZN1a", "1f", "E", "v"),
    ]
  }
}
