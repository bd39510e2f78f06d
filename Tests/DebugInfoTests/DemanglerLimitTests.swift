import Testing

@testable import DebugInfo

/// No name, whatever it is, ends the process or costs much: without limits most of these take gigabytes
/// and hours, or overflow the stack.
///
/// The limit is for a name that takes for ever. It counts the time that a test waits for others, too:
/// in a whole run on a busy machine that was 20 minutes.
@Suite(.timeLimit(.minutes(60))) struct DemanglerLimitTests {
  /// Shapes that nest or repeat one thing, of every length up to beyond the limit.
  @Test(arguments: [300, 1000, 4000, 100_000])
  func deepNamesCostLittle(count: Int) {
    let names = Self.nested(count)
    let texts = Demangler.demangle(names)
    #expect(texts.count == names.count)
    #expect(texts.allSatisfy { $0.utf8.count <= max(128 << 10, count + 16) })
    if count > NameCost.longestName { #expect(texts == names) }
  }

  /// Each part of these names holds the one before it twice.
  @Test(arguments: 1...60)
  func namesThatDoubleCostLittle(levels: Int) {
    let names = Self.doubling(levels)
    let texts = Demangler.demangle(names)
    #expect(texts.allSatisfy { $0.utf8.count <= 128 << 10 })
    // What is small enough is answered all the same.
    if levels <= 8 { #expect(zip(texts, names).allSatisfy { $0 != $1 }) }
  }

  @Test func aNameThatTakesTooMuchLeavesItsNeighboursAlone() {
    let bomb = Self.doubling(50)[0]
    let texts = Demangler.demangle(["_ZN5shape4areaEi", bomb, "$s6Shapes3runyS2iF", bomb, "main"])
    #expect(
      texts == ["shape::area(int)", bomb, "Shapes.run(Swift.Int) -> Swift.Int", bomb, "main"])
    #expect(Demangler.demangle(bomb) == bomb)
  }

  /// Threads of Dispatch have small stacks.
  @Test func smallStacksSuffice() async {
    let names = Self.nested(250) + Self.nested(500)
    await withTaskGroup(of: Int.self) { group in
      for name in names { group.addTask { Demangler.demangle(name).utf8.count } }
      for await count in group { #expect(count > 0) }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func mutatedNamesCostLittle(seed: UInt64) throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-Onone"])
    var names = try tools.listedSymbols("shapes").map(\.name).filter { $0.hasPrefix("$s") }
    try #require(names.count > 30)
    names += Self.cxx
    var random = SeededNumbers(seed)
    let mutated = (0..<4000).map { _ in Self.mutate(names.randomElement(using: &random)!, &random) }
    #expect(Demangler.demangle(mutated).count == mutated.count)
  }

  private static let cxx = [
    "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "_ZNSt8_Rb_treeIiSt4pairIKiNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEESt10_Select1stIS8_"
      + "ESt4lessIiESaIS8_EE8_M_eraseEPSt13_Rb_tree_nodeIS8_E",
    "_ZSt7forwardIRKiEOT_RNSt16remove_referenceIS2_E4typeE", "_ZN1AIJidcEE1fIJfEEEvDpT_",
  ]

  /// Changes, drops, repeats and swaps some bytes.
  private static func mutate(_ name: String, _ random: inout SeededNumbers) -> String {
    var bytes = Array(name.utf8)
    let letters = Array("ABCDEFGIJKLMNOPQRSTUVWXYZ0123456789_abcdefghilmnopqrstuvwxyz".utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) where bytes.count > 3 {
      let place = Int.random(in: 2..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = letters.randomElement(using: &random)!
      case 1: bytes.removeSubrange(place..<end)
      case 2:
        let part = Array(bytes[place..<end])
        let times = Int.random(in: 1...40, using: &random)
        bytes.insert(contentsOf: repeatElement(part, count: times).joined(), at: place)
      default: bytes.insert(letters.randomElement(using: &random)!, at: place)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
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

  private static func doubling(_ levels: Int) -> [String] {
    /// Itanium C++ ABI, section 5.1.10: parts are counted from none, to the base of 36.
    func part(_ number: Int) -> String {
      number == 0 ? "S_" : "S\(String(number - 1, radix: 36, uppercase: true))_"
    }
    var template = "_Z1f1aIiiE"
    var function = "_Z1fPFviiE"
    // Parts 0 to 2 are the module, the function and the first dictionary.
    var swift = "$s4main1fyySDyS2iG"
    for level in 0..<levels {
      template += "S_I\(part(level + 1))\(part(level + 1))E"
      function += "PFv\(part(2 * level + 1))\(part(2 * level + 1))E"
      let pair =
        switch level {
        case ..<24: "A2\(Character(UnicodeScalar(UInt8(67 + level))))"
        case 24: "A_A_"
        default: "A\(level - 25)_A\(level - 25)_"
        }
      swift += "\(level == 0 ? "_" : "")SDy\(pair)G"
    }
    return [template, function, swift + "tF"]
  }
}

/// SplitMix64: the same numbers in each run.
private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
