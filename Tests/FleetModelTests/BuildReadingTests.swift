import FirstlightModel
import FleetModel
import TestSupport
import Testing

/// What a process says that read a stranger's file, and that may be the stranger by now.
@Suite struct BuildReadingTests {
  @Test func aTableArrivesAsItWasSent() throws {
    let table = Self.table()
    let names = BuildReading.DebugFileNames(buildID: table.build.buildID, link: "app.debug")
    let bytes = BuildReading(result: .success(table), wantedDebugFile: names).encoded()
    let reading = try BuildReading(decoding: bytes, path: "/srv/app", rows: 100)
    let back = try reading.result.get()
    #expect(reading.wantedDebugFile == names)
    #expect(back.build.functions == table.build.functions)
    #expect(back.bodies == table.bodies)
    #expect(back.build.isOptimised && back.build.hasSymbols && !back.build.hasDebugInfo)
    #expect(back.build.kind == .executable && back.build.guardCount == 9)
    // The reader's own word for the path, not the writer's.
    #expect(back.build.path == "/srv/app")
  }

  @Test func whatACompilerCountsTravelsBesideTheGuards() throws {
    let table = Self.table()
    var counted = FunctionTable(build: table.build, bodies: [])
    counted.build.recorder = .counters
    let bytes = BuildReading(result: .success(table), counted: counted).encoded()
    let reading = try BuildReading(decoding: bytes, path: "app", rows: 100)
    #expect(try reading.result.get().key == table.key)
    #expect(reading.counted?.key == table.key.counters)
    #expect(reading.counted?.build.functions == table.build.functions)
    // Those of another build are not.
    counted.build.buildID = BuildID("ffff")!
    let other = BuildReading(result: .success(table), counted: counted).encoded()
    #expect(throws: Failure.self) { try BuildReading(decoding: other, path: "app", rows: 100) }
    counted = table
    let guards = BuildReading(result: .success(table), counted: counted).encoded()
    #expect(throws: Failure.self) { try BuildReading(decoding: guards, path: "app", rows: 100) }
  }

  @Test func aFailureIsOneLineForPeople() throws {
    let long = String(repeating: "e\u{301}", count: 100_000)
    let failure = Failure(.data, "app: section \u{1b}[31m\n is damaged", advice: long)
    let bytes = BuildReading(result: .failure(failure)).encoded()
    let reading = try BuildReading(decoding: bytes, path: "app", rows: 0)
    guard case .failure(let back) = reading.result else { throw Unexpected() }
    #expect(back.problem == "app: section ?[31m? is damaged")
    #expect(back.advice.unicodeScalars.count == 1000)
    #expect(bytes.count < 5000)
  }

  @Test func aCutOffAnswerIsRefusedAtEveryLength() {
    let bytes = BuildReading(result: .success(Self.table())).encoded()
    for length in 0..<bytes.count {
      #expect(throws: Failure.self) {
        try BuildReading(decoding: Array(bytes[..<length]), path: "app", rows: 100)
      }
    }
    #expect(throws: Failure.self) {
      try BuildReading(decoding: bytes + [0], path: "app", rows: 100)
    }
  }

  /// Whatever is read keeps the promises of `Build`.
  @Test("a mutated answer is refused or sound", arguments: 0..<50)
  func mutations(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let whole = BuildReading(
      result: .success(Self.table()), wantedDebugFile: .init(buildID: nil, link: "app.debug")
    ).encoded()
    var refused = 0
    for _ in 0..<400 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 4..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1: bytes[place] = 0x7f
        case 2: bytes.insert(contentsOf: [0xff, 0xff, 0xff, 0x7f], at: place)
        default: bytes.remove(at: place)
        }
      }
      do throws(Failure) {
        let reading = try BuildReading(decoding: bytes, path: "app", rows: 100)
        try check(reading)
      } catch { refused += 1 }
    }
    #expect(refused > 0)
  }

  private func check(_ reading: BuildReading) throws(Failure) {
    #expect(reading.wantedDebugFile?.link?.contains("/") != true)
    guard case .success(let table) = reading.result else { return }
    let build = table.build
    #expect(build.guardCount <= 1 << 26)
    #expect(isRising(build.entryGuards, below: build.guardCount))
    #expect(build.functions.dropFirst(build.guarded.count).allSatisfy { !$0.isGuarded })
    for function in build.functions {
      if case .copies(let hosts, _) = function.code {
        #expect(isRising(hosts, below: build.guardCount))
      }
      #expect(0...Int(Int32.max) ~= function.line)
      #expect(!(function.address ?? 0).addingReportingOverflow(function.size).overflow)
      #expect(!function.name.utf8.contains(0))
    }
    #expect(zip(table.bodies, table.bodies.dropFirst()).allSatisfy { $0.address <= $1.address })
  }

  private func isRising(_ guards: [UInt32], below end: Int) -> Bool {
    guards.allSatisfy { $0 < end } && zip(guards, guards.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test func moreRowsThanAFileCanHoldAreRefused() throws {
    let table = Self.table()
    let bytes = BuildReading(result: .success(table)).encoded()
    // 3 functions, 2 aliases, 1 unguarded, 1 inlined, 2 bodies.
    _ = try BuildReading(decoding: bytes, path: "app", rows: 9)
    let failure = try #require(throws: Failure.self) {
      try BuildReading(decoding: bytes, path: "app", rows: 8)
    }
    #expect(failure.problem.contains("more functions than such a file can have"))
  }

  @Test func aLinkThatLeadsElsewhereIsRefused() {
    for link in ["../../etc/passwd", "..", "a/b"] {
      let bytes = BuildReading(
        result: .success(Self.table()), wantedDebugFile: .init(buildID: nil, link: link)
      ).encoded()
      #expect(throws: Failure.self) { try BuildReading(decoding: bytes, path: "app", rows: 100) }
    }
  }

  private struct Unexpected: Error {}

  private static func table() -> FunctionTable {
    func function(_ name: String, _ address: UInt64?, file: String?) -> Function {
      Function(
        address: address, size: 16, name: "$s\(name)", aliases: name == "b" ? ["b1", "b2"] : [],
        demangledName: "app.\(name)()", module: "app", file: file, line: 7,
        isCompilerGenerated: false,
        isLocal: name == "b")
    }
    var build = Build(
      buildID: BuildID(bytes: [1, 2, 3, 4])!, path: "", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: false,
      functions: [
        function("a", 0x1000, file: "/src/a.swift"), function("b", 0x1010, file: "/src/a.swift"),
        function("c", nil, file: nil),
      ], entryGuards: [0, 3, 8], guardCount: 9)
    build.functions += [
      function("u", 0x2000, file: "/src/u.swift"),
      Function(
        code: .copies(of: [0, 8], unknownHost: true), name: "i", demangledName: "i", module: "",
        file: "/src/u.swift", line: 1),
    ]
    build.isOptimised = true
    return FunctionTable(
      build: build,
      bodies: [
        CodeBody(address: 0x1000, size: 4, name: "x"),
        CodeBody(address: 0x1000, size: UInt64.max >> 1, name: "y"),
      ])
  }
}
