import Foundation
import TestSupport
import Testing

/// An order file or a never-called list as a test looks at it.
enum Answer {
  /// The names of an order, without its comments.
  static func order(_ arguments: [String]) throws -> [String] {
    try Command.check([Toolchain.firstlight, "order"] + arguments)
      .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// A never-called list.
  ///
  /// - Parameter isLossy: whether the list has to end with the code of an incomplete recording.
  static func dead(_ arguments: [String], isLossy: Bool = false) throws -> DeadDocument {
    let result = try Command.run([Toolchain.firstlight, "dead", "--format", "json"] + arguments)
    #expect(result.status == (isLossy ? 3 : 0) && !result.signalled, "\(result.errors)")
    return try JSONDecoder().decode(DeadDocument.self, from: Data(result.output.utf8))
  }

  /// The functions of a never-called list for GitHub Actions.
  static func annotated(_ list: String) -> [String] {
    list.matches(of: /(?m)^::warning .*?::(\S+) was/).map { String($0.1) }
  }

  static func info(_ profile: String) throws -> InfoDocument {
    let text = try Command.check([Toolchain.firstlight, "info", "--format", "json", profile])
    return try JSONDecoder().decode(InfoDocument.self, from: Data(text.utf8))
  }
}

struct DeadDocument: Decodable {
  struct Function: Decodable {
    var module, image, name, shortName, mangledName: String
    var origin: String?
    var file: String?
    var line: Int?
    var bytes: Int
    var compilerGenerated: Bool
    var identity, verdict: String
    var reason: String?
    var pieces: [Piece]
    var watchedRuns, calledRuns: Int
    var upperBound: Double
    var keep, unusedSince: String?
    var owners: [String]?
    var references: References?
    var tests: Tests?
  }
  struct References: Decodable {
    var verdict: String
    var by: String?
    var isDeletable: Bool
    var lines: Int?
  }
  struct Tests: Decodable {
    struct Function: Decodable { var name: String }
    var calls: Bool?
    var functions: [Function]
  }
  struct Piece: Decodable {
    var kind, place, mangledName: String
  }
  struct Totals: Decodable {
    var functions, called, neverCalled, compilerGenerated, inlined, notInstrumented, dropped,
      kept, otherCode: Int
  }
  struct Equation: Decodable {
    var guards, called, neverCalled, belowThreshold, folded, compilerGenerated, inlined: Int
    var notInstrumented, notCalledWhileWatched, unwatched, dropped, kept, outside: Int
    var otherCode: Int
    var isBalanced: Bool

    var sum: Int {
      called + neverCalled + belowThreshold + folded + compilerGenerated + inlined + notInstrumented
        + notCalledWhileWatched + unwatched + dropped + kept + outside + otherCode
    }
  }
  struct Baseline: Decodable {
    var known: Int
    var outdated: [String]
  }
  struct Module: Decodable {
    var name: String
    var functions, called, neverCalled, neverCalledBytes: Int
    var share: Double?
  }
  var functions: [Function]
  var modules: [Module]
  var totals: Totals
  var equation: Equation
  var baseline: Baseline
  var staleKeeps: [String]

  /// The verdict of the function that a linker name belongs to.
  func verdict(ofLinkerName name: String) -> String? {
    functions.first { $0.pieces.contains { $0.mangledName == name } }?.verdict
  }

  func function(_ name: String) throws -> Function {
    try #require(functions.first { $0.name == name })
  }

  /// The verdicts of the functions whose name for people begins so.
  func verdicts(_ prefix: String) -> Set<String> {
    Set(functions.filter { $0.name.hasPrefix(prefix) }.map(\.verdict))
  }

  var mangledNames: Set<String> { Set(functions.map(\.mangledName)) }

  func mangledNames(of verdict: String) -> Set<String> {
    Set(functions.filter { $0.verdict == verdict }.map(\.mangledName))
  }
}

struct InfoDocument: Decodable {
  struct Build: Decodable {
    var buildID, recorder, path, kind: String
    var guards, functions, called, runs: Int
    var hasSymbols, hasDebugInfo: Bool
  }
  struct Process: Decodable {
    var pid: Int
    var path: String
    var firstCalls, threads: Int
    var forkedFrom: String?
    var traceLeftOut: Bool?
  }
  struct Run: Decodable {
    var outcome: String
    var attachment: String?
    var problems: [String]
  }
  struct Losses: Decodable {
    var drops, uncommitted, lostImages, unreadableSegments: Int
    var unrecordedProcesses, runningProcesses: Int

    var isEmpty: Bool {
      drops + uncommitted + lostImages + unreadableSegments + unrecordedProcesses
        + runningProcesses == 0
    }
  }
  var builds: [Build]
  var processes: [Process]
  var runs: [Run]
  var losses: Losses
}
