import TestSupport
import Testing

@testable import DebugInfo

/// Names of Rust's current mangling, against LLVM's demangler.
@Suite struct RustNameTests {
  static let names = [
    "_RNvCs15kBYyAo9fc_7mycrate7example",
    "_RNvNtCs15kBYyAo9fc_7mycrate3foo3bar",
    "_RINvNtC3std3mem8align_ofdEC3foo",
    "_RNCNvC4main4main0B3_",
    "_RNCNvC4main4mains_0B3_",
    "_RNvMC4mainNtB2_3Foo3bar",
    "_RNvXC4mainNtB2_3FooNtB2_3Bar3run",
    "_RNvYNtC4main3FooNtB4_3Bar3run",
    "_RINvC4main4takeFUKCjEuE",
    "_RINvC4main4takeDNtC4core4SyncNtBg_4SendEL_E",
    "_RINvC4main4takeDINtC4core2FnTlEEp6OutputlEL_E",
    "_RINvC4main4takeFG_RL0_hEB2_E",
    "_RINvC4main4takeRL_NtC4main1AE",
    "_RINvC4main4takeAhj4_E",
    "_RINvC4main4takeKj2a_Kin5_Kb1_Kc61_E",
    "_RINvC4main4takeTlEThxEQSmPhOhE",
    "_RNvCu8gdel_5qa4main",
    "_RNSNvC4main4main6vtable",
    "_RNvNtC7mycrateu8gdel_5qa3foo",
    "_RNvC4main4main.llvm.1234",
  ]

  @Test(.tags(.compiler)) func namesAreThoseOfLLVM() throws {
    let text = try Command.check(["llvm-cxxfilt"], input: Self.names.joined(separator: "\n") + "\n")
    let expected = text.split(separator: "\n").map(String.init)
    #expect(expected.count == Self.names.count)
    for (name, expected) in zip(Self.names, expected) {
      let ours = Demangler.demangle(name)
      // Neither knows a name that is damaged.
      #expect(ours == expected.replacing(" (.llvm.1234)", with: ""), "\(name)")
    }
  }

  @Test func whatIsNoNameStaysAsItIs() {
    let damaged = [
      "_R", "_RN", "_RNvC4main", "_RNvC4main9main", "_RB_", "_RNvB9_4main", "_RIC4main", "_Rust",
      "_RNvC99999999999999999999main4main", "_RNvC4main4main!",
    ]
    for name in damaged { #expect(Demangler.demangle(name) == name) }
  }

  /// Parts that refer back to each other double the text each time; parts that refer to themselves have no
  /// end.
  @Test func aNameThatStandsForTooMuchStaysAsItIs() {
    var name = "_RINvC1a1bTlE"
    var last = 7
    for _ in 0..<40 {
      let here = name.utf8.count - 2
      let back = "B" + base62(last)
      name += "T\(back)\(back)E"
      last = here
    }
    name += "E"
    #expect(Demangler.demangle(name) == name)
    let nested = "_RINvC1a1b" + String(repeating: "R", count: 3000) + "lE"
    #expect(Demangler.demangle(nested) == nested)
  }

  private func base62(_ number: Int) -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    guard number > 0 else { return "_" }
    var (rest, text) = (number - 1, "")
    repeat {
      text = String(digits[rest % 62]) + text
      rest /= 62
    } while rest > 0
    return text + "_"
  }
}
