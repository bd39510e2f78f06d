import Glibc
import SystemSupport
import Testing

@testable import Startup

private protocol Secret {}
protocol NamedProtocol {}
protocol OtherProtocol {}
struct Outer {
  struct Inner {}
  enum Choice { case one }
}
extension Outer {
  struct Added {}
}
extension Array where Element == Int {
  struct AddedToArray {}
}
class Parent {}
final class Child: Parent {}
struct Pair<First, Second> {}
struct Grid<let width: Int> {}

/// Names from metadata in memory, here this process's. The runtime's own names are the oracle.
@Suite struct SwiftTypeNamesTests {
  private func name(_ type: Any.Type) throws -> String {
    var names = SwiftTypeNames(try #require(ProcessMemory(of: getpid())))
    return names.typeName(UInt64(UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))))
  }

  @Test func namesAreThoseOfTheRuntime() throws {
    let types: [Any.Type] = [
      Int.self, String.self, [String: Int].self, Outer.self, Outer.Inner.self, Outer.Choice.self,
      Outer.Added.self, Parent.self, Child.self, Pair<Int, [Outer]>.self, (Int, String).self,
      Any.self,
      Int.Type.self,
    ]
    for type in types { #expect(try name(type) == String(reflecting: type)) }
  }

  @Test func formsWithoutSugarAreNamedInFull() throws {
    #expect(try name(Int?.self) == "Swift.Optional<Swift.Int>")
    #expect(try name((any NamedProtocol).self) == "any StartupTests.NamedProtocol")
    #expect(
      try name((any NamedProtocol & OtherProtocol).self)
        == "any StartupTests.NamedProtocol & StartupTests.OtherProtocol")
    #expect(try name((any Secret).self) == "any StartupTests.Secret")
    #expect(try name(((Int) -> Int).self) == "a function")
    #expect(try name(Array<Int>.AddedToArray.self) == "Swift.Array<Swift.Int>.AddedToArray")
    #expect(
      try name(Set<Outer.Choice>.Index.self)
        == "Swift.Set.Index<StartupTests.Outer.Choice>")
    #expect(try name(Grid<3>.self) == "StartupTests.Grid<...>")
  }

  @Test func unreadableMemoryHasNoName() throws {
    var names = SwiftTypeNames(try #require(ProcessMemory(of: getpid())))
    #expect(names.typeName(8) == "?")
    #expect(names.typeName(.max) == "?")
    #expect(names.protocolName(8) == "?")
  }
}
