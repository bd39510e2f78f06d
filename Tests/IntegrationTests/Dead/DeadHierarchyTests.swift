import Foundation
import TestSupport
import Testing

/// Classes that override each other, what compilers and macros add to them, sources that moved.
@Suite(.tags(.compiler)) struct DeadHierarchyTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func record(_ options: [String], _ flags: String...) throws -> String {
    let words = try Command.check([Toolchain.firstlight, "flags", "swiftc"] + flags)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    let executable = try DeadHierarchy.build(options, flags: words, in: directory, name: "fleet")
    let profile = directory.path("fleet.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", executable])
    return profile
  }

  /// Without optimisation, and with it where calls stay calls.
  @Test(arguments: [["-Onone"], ["-O"], ["-O", "-wmo"]])
  func dispatchTellsWhichOverridesRan(options: [String]) throws {
    let profile = try options == ["-Onone"] ? record(options) : record(options, "--no-inlining")
    let all = try Answer.dead([profile, "--all"])
    #expect(all.equation.isBalanced && all.equation.sum == all.equation.guards)
    for (name, verdict) in DeadHierarchy.verdicts {
      #expect(all.verdicts(name) == [verdict], "\(name): \(all.verdicts(name))")
    }
    // Nothing that a macro or the compiler wrote.
    let listed = try Answer.dead([profile]).functions.map(\.name)
    let wanted = DeadHierarchy.verdicts.filter { $0.1 == "never called" }.map(\.0)
    for name in listed where name != "Fleet.Vehicle.deinit" {
      #expect(wanted.contains { name.hasPrefix($0) }, "\(name)")
    }
  }

  @Test func anOptimisedListIsOfWhatIsSure() throws {
    let listed = try Answer.dead([record(["-O", "-wmo"])]).functions
    let called = DeadHierarchy.verdicts.filter { $0.1 == "called" }.map(\.0)
    for function in listed {
      #expect(!called.contains { function.name.hasPrefix($0) }, "\(function.name)")
    }
  }

  @Test func sourcesThatMovedAreFoundAgain() throws {
    let profile = try record(["-Onone"])
    let before = try Answer.dead([profile]).functions.map(\.name)
    #expect(!before.isEmpty && !before.contains { $0.hasPrefix("Fleet.Car.init(") })
    let old = directory.path("src")
    let new = directory.path("moved")
    try FileManager.default.moveItem(atPath: old, toPath: new)
    let mapped = try Answer.dead([profile, "--path-map", "\(old)=\(new)"])
    #expect(mapped.functions.map(\.name) == before)
    #expect(mapped.functions.allSatisfy { $0.file?.hasPrefix(new) ?? false })
    // Without them nothing tells the initializers that the compiler makes, and the list says so.
    let without = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(without.contains("2 source files not found"))
    #expect(try Set(Answer.dead([profile]).functions.map(\.name)).isSuperset(of: before))
  }
}
