import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Which types conform to which protocols; the linker's names of the descriptors, as nm lists them, are the
/// oracle.
@Suite struct ConformanceTests {
  private static let source = """
    public protocol P {}
    public protocol Q { func q() }
    public struct S: P, Q { public func q() {} }
    public final class C: Q { public func q() {} }
    public enum E: P { case e }
    extension Int: Q { public func q() {} }
    print(S(), C(), E.e)
    """

  /// Builds a program with the static library and returns the addresses of its symbols.
  private func build(_ tools: Toolbox, _ flags: [String]) throws -> [String: UInt64] {
    try tools.write(Self.source, to: "main.swift")
    try tools.run(
      ["swiftc", "-O", "-static-stdlib", "-use-ld=lld", "-module-name", "m", "main.swift"] + flags
        + ["-o", "p"])
    var addresses: [String: UInt64] = [:]
    for line in try tools.run("llvm-nm", "p").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3 { addresses[String(words[2])] = UInt64(words[0], radix: 16) }
    }
    return addresses
  }

  private func section(_ tools: Toolbox, _ name: String) throws -> (address: UInt64, size: UInt64) {
    let text = try tools.run("llvm-readelf", "-SW", "p")
    let line = try #require(text.split(separator: "\n").first { $0.contains(" \(name) ") })
    let words = line.split(separator: " ").drop { $0 != name[...] }.map(String.init)
    return (try #require(UInt64(words[2], radix: 16)), try #require(UInt64(words[4], radix: 16)))
  }

  /// Types and protocols of other modules are referred to through pointers, which the loader writes.
  @Test(arguments: [
    [], ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"], ["-Xclang-linker", "-no-pie"],
  ])
  func pairsAreThoseOfTheDescriptorsNames(flags: [String]) throws {
    let tools = try Toolbox()
    let addresses = try build(tools, flags)
    let image = try DebugImage(path: tools.path("p"), debugDirectories: [])
    let found = try #require(try image.conformancePairs()).pairs
    try image.checkConformanceRuntime()
    let records = try section(tools, "swift5_protocol_conformances")
    #expect(UInt64(found.count) == records.size / 4)
    func half(_ name: String) throws -> UInt64 {
      let address = try #require(addresses[name], "\(name)")
      return UInt64(UInt32(truncatingIfNeeded: address &- records.address))
    }
    for (type, conformed) in [
      ("$s1m1SVMn", "$s1m1PMp"), ("$s1m1SVMn", "$s1m1QMp"), ("$s1m1CCMn", "$s1m1QMp"),
      ("$s1m1EOMn", "$s1m1PMp"), ("$sSiMn", "$s1m1QMp"), ("$sSiMn", "$sSQMp"), ("$sSSMn", "$sSHMp"),
    ] {
      let pair = try half(type) << 32 | half(conformed)
      #expect(found.count { $0 == pair } == 1, "\(type): \(conformed)")
    }
    let none = try half("$s1m1CCMn") << 32 | half("$s1m1PMp")
    #expect(!found.contains(none))
    // Each conformance that has a name is one record, and most have.
    let named = addresses.keys.filter { $0.hasPrefix("$s") && $0.hasSuffix("Mc") }
    #expect(named.count <= found.count && named.count * 2 > found.count)
  }

  @Test func aRecordOfAnUnknownLayoutIsNamed() throws {
    let tools = try Toolbox()
    let addresses = try build(tools, ["-Xclang-linker", "-no-pie"])
    // The flags are the fourth word of a descriptor. Bits 21 to 23 mean nothing in Swift 6.3.
    let descriptor = try #require(addresses["$s1m1SVAA1PAAMc"])
    let rodata = try #require(
      try DebugImage(path: tools.path("p")).facts().sections.first {
        $0.isInFile && $0.address <= descriptor && descriptor - $0.address < $0.size
      })
    var bytes = try Data(contentsOf: URL(fileURLWithPath: tools.path("p")))
    bytes[Int(rodata.offset + descriptor - rodata.address) + 14] |= 0x20
    try bytes.write(to: URL(fileURLWithPath: tools.path("changed")))
    let image = try DebugImage(path: tools.path("changed"), debugDirectories: [])
    let failure = #expect(throws: Failure.self) { try image.conformancePairs() }
    #expect(failure?.problem.contains("is not as in Swift 6.0 to 6.3") == true)
  }

  @Test func otherProgramsHaveNone() throws {
    let tools = try Toolbox()
    try tools.write(Self.source, to: "main.swift")
    try tools.run("swiftc", "-O", "main.swift", "-o", "dynamic")
    #expect(try DebugImage(path: tools.path("dynamic")).conformancePairs() == nil)
    try tools.write("int main(void) { return 0; }\n", to: "p.c")
    try tools.run("clang", "p.c", "-o", "c")
    #expect(try DebugImage(path: tools.path("c")).conformancePairs() == nil)
  }
}
