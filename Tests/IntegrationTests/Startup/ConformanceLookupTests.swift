import Foundation
import TestSupport
import Testing

/// The conformance look-ups of a real Swift program, with each standard library. gdb is the oracle: it stops at
/// the same functions, names the types and protocols by their symbols, and unwinds the stacks.
@Suite(.tags(.compiler)) struct ConformanceLookupTests {
  private static let source = """
    protocol Shape { var area: Double { get } }
    protocol Named { var name: String { get } }
    protocol Loud {}

    struct Square: Shape { var area: Double { 1 } }
    struct Plain {}
    class Base: Named { var name: String { "base" } }
    final class Derived: Base {}
    struct Box<Content> { var content: Content }
    extension Box: Named where Content: Named { var name: String { "box of \\(content.name)" } }

    @inline(never) func describe(_ value: Any) -> String {
      if let shape = value as? any Shape { return "shape \\(shape.area)" }
      if let named = value as? any Named { return named.name }
      return value is any Loud ? "loud" : "?"
    }

    let values: [Any] = [
      Square(), Plain(), Derived(), Box(content: Derived()), Box(content: Plain()), 1, (1, "a"),
    ]
    for _ in 1...3 {
      for value in values { print(describe(value)) }
    }
    """

  /// A look-up as gdb sees it: symbols of the type and the protocol, "?" if there are none; whether the answer
  /// was added to the cache; the link-time addresses of the calls in the program's own file.
  private struct Seen {
    var type, proto: String
    var scanned: Bool
    var calls: [UInt64]
  }

  /// An event is `M` and the address of `main`; `L`, the stack pointer, the symbols and the return addresses of a
  /// look-up, if gdb finds the way to `main`; or `C` and the stack pointer of an addition to the cache.
  private static let script = """
    import gdb
    gdb.execute("set pagination off")
    gdb.execute("set debuginfod enabled off")
    gdb.execute("break *main")
    gdb.execute("run > /dev/null")
    def value(register):
      return int(gdb.parse_and_eval("$" + register)) & 0xffffffffffffffff
    def symbol(address):
      words = gdb.execute("info symbol %d" % address, to_string=True).split(" ")
      return words[0] if words[1] == "in" else "?"
    print("EVENT M", value("pc"))
    def calls():
      frame = gdb.newest_frame().older()
      found = []
      while frame is not None and frame.name() != "main":
        found.append(frame.pc())
        frame = frame.older()
      return [] if frame is None else found + [frame.pc()]
    class Lookup(gdb.Breakpoint):
      def stop(self):
        print("EVENT L", value("rsp"), symbol(value("rdi")), symbol(value("rsi")), *calls())
        return False
    class Addition(gdb.Breakpoint):
      def stop(self):
        print("EVENT C", value("rsp"))
        return False
    for name in ["", "2", "Common", "WithExecutionContext"]:
      try:
        place = gdb.parse_and_eval("(long)&'swift_conformsToProtocol%s'" % name)
        Lookup("*%d" % int(place))
      except gdb.error:
        pass
    place = gdb.parse_and_eval("(long)&'ConformanceState::cacheResult'")
    Addition("*%d" % int(place))
    gdb.execute("continue")
    """

  private func seen(_ program: Fixture) throws -> [Seen] {
    let script = try program.directory.write(Self.script, to: "events.py")
    let output = try Command.check(
      ["gdb", "-q", "-batch", "-nx", "-x", script, program.executable])
    var lookups: [Seen] = []
    var places: [UInt64] = []
    let main = try #require(
      Command.check(["nm", program.executable]).split(separator: "\n")
        .first { $0.hasSuffix(" T main") }.flatMap { UInt64($0.prefix(16), radix: 16) })
    var bias: UInt64 = 0
    for event in output.split(separator: "\n") where event.hasPrefix("EVENT ") {
      let words = event.split(separator: " ").dropFirst().map(String.init)
      let place = try #require(UInt64(words[1]))
      if words[0] == "M" {
        bias = place - main
      } else if words[0] == "L" {
        places.append(place)
        lookups.append(
          Seen(
            type: words[2], proto: words[3], scanned: false,
            calls: words[4...].map { UInt64($0)! &- bias &- 1 }))
      } else {
        // The stack grows down: inner look-ups that have returned were deeper than this frame.
        let index = try #require(places.lastIndex { $0 > place })
        lookups[index].scanned = true
      }
    }
    return lookups
  }

  @Test(arguments: [[], ["-static-stdlib"]])
  func lookupsAreThoseThatGDBSees(options: [String]) throws {
    let program = try Fixture.swift(Self.source, options: ["-O"] + options, flags: [])
    let seen = try seen(program)
    let account = try #require(try program.launch(["--runs", "3"]).conformanceLookups)
    #expect(account.count == seen.count && seen.count > 50)
    #expect(account.lookups.count == account.count)
    #expect(account.scans == seen.count { $0.scanned })
    let symbols = Set(seen.flatMap { [$0.type, $0.proto] }).subtracting(["?"])
    let texts = try names(Array(symbols))
    let lines = try lines(Set(seen.flatMap(\.calls)), program)
    var (known, placed) = (0, 0)
    for (lookup, seen) in zip(account.lookups, seen) {
      #expect(lookup.scanned == seen.scanned)
      if let line = seen.calls.lazy.compactMap({ lines[$0] }).first {
        #expect(lookup.caller?.line == line)
        placed += 1
      }
      if let type = texts[seen.type] {
        #expect(type == "type metadata for \(lookup.type)")
        known += 1
      }
      #expect(texts[seen.proto] == "protocol descriptor for \(lookup.protocol)")
    }
    #expect(known > 20 && placed > seen.count / 2)
    #expect(account.positive + account.negative == account.count)
    for lookup in account.lookups where lookup.type == "program.Square" {
      #expect(lookup.conforms == (lookup.protocol == "program.Shape"))
    }
    for lookup in account.lookups where lookup.protocol == "program.Named" {
      let conforms = ["program.Derived", "program.Box<program.Derived>"].contains(lookup.type)
      #expect(lookup.conforms == conforms, "\(lookup.type)")
    }
    #expect(account.lookups.contains { $0.type == "(Swift.Int, Swift.String)" })
    #expect(account.lookups.contains { $0.parent != nil })
    // Look-ups that took longer than the start has CPU time waited for other programs, and have no share.
    if let share = account.share { #expect(share > 0 && share <= 1) }
    #expect(account.duration == account.mainThreadDuration)
  }

  /// The innermost line of the source at each address that has one, by llvm-symbolizer.
  private func lines(_ addresses: Set<UInt64>, _ program: Fixture) throws -> [UInt64: Int] {
    let addresses = addresses.sorted()
    let answers = try Command.check(
      ["llvm-symbolizer", "-e", program.executable] + addresses.map { "\($0)" })
    var lines: [UInt64: Int] = [:]
    for (address, answer) in zip(addresses, answers.components(separatedBy: "\n\n")) {
      for place in answer.split(separator: "\n") where place.contains("main.swift:") {
        let line = Int(place.split(separator: ":").dropLast().last!)!
        if line > 0, lines[address] == nil { lines[address] = line }
      }
    }
    return lines
  }

  private func names(_ symbols: [String]) throws -> [String: String] {
    let texts = try Command.check(["swift-demangle", "-compact"] + symbols)
      .split(separator: "\n").map(String.init)
    return Dictionary(uniqueKeysWithValues: zip(symbols, texts))
  }

  /// Other threads enter while one is stopped at a look-up.
  @Test func threadsAtOnceMissNone() throws {
    let program = try Fixture.swift(
      """
      import Dispatch
      protocol Shape {}
      struct Square: Shape {}
      @inline(never) func isShape(_ value: Any) -> Bool { value is any Shape }
      let count = Int(CommandLine.arguments[1])!
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<count where !isShape(Square()) { print("no") }
      }
      """, options: ["-O"], flags: [])
    let once = try #require(try program.launch(["--runs", "2"], ["1"]).conformanceLookups)
    let often = try #require(try program.launch(["--runs", "2"], ["51"]).conformanceLookups)
    #expect(once.count >= 4)
    #expect(often.count == 51 * once.count)
  }

  @Test func aProgramWithoutSwiftHasNone() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    #expect(try program.launch(["--runs", "2"]).conformanceLookups == nil)
  }
}
