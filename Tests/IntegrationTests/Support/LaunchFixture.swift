import Foundation
import TestSupport
import Testing

/// What `firstlight launch --format json` says.
struct LaunchDocument: Decodable {
  struct Spread: Decodable { var median: Double }
  struct Start: Decodable {
    var duration, minorFaults: UInt64
  }
  struct Stage: Decodable {
    var kind: String
    var start, duration, minorFaults: UInt64
  }
  struct InitializerRun: Decodable {
    var name: String
    var start: UInt64
    var duration: UInt64?
    var minorFaults: UInt64
  }
  struct LoadedImage: Decodable {
    var path: String
    var isLoadedLater: Bool
    var mapping, relocating: UInt64?
  }
  struct Record: Decodable {
    var stages: [Stage]
    var initializers: [InitializerRun]
    var images: [LoadedImage]
  }
  struct Watched: Decodable { var record: Record }
  struct Initializer: Decodable {
    var name: String
    var order: Int
    var duration: Spread?
  }
  struct Call: Decodable {
    var name: String
    var thread: UInt32
    var parent: Int?
    var time: UInt64
    var duration, own: UInt64?
    var ending: String
  }
  struct Mark: Decodable {
    var name: String
    var time: UInt64
    var isSpan: Bool
    var duration: UInt64?
  }
  struct ConformanceLookups: Decodable {
    struct Caller: Decodable {
      var function, file: String
      var line: Int
    }
    struct Lookup: Decodable {
      var type, `protocol`: String
      var duration: UInt64
      var parent: Int?
      var scanned, conforms: Bool?
      var caller: Caller?
    }
    var count, positive, negative: Int
    var scans: Int?
    var duration, mainThreadDuration: UInt64
    var share: Double?
    var lookups: [Lookup]
  }
  var marks: [Mark]
  var conformanceLookups: ConformanceLookups?
  var source: String
  var failure: String?
  var starts: [Start]
  var watched: [Watched]
  var detailed: [Record]
  var initializers: [Initializer]
  var calls: [Call]?
  var scale: Double?
  var notes: [String]

  func call(_ name: String) throws -> Call {
    try #require(calls?.first { $0.name.hasPrefix(name) }, "no call of \(name)")
  }

  /// The name of the call around one.
  func parent(_ name: String) throws -> String? {
    try call(name).parent.map { calls![$0].name }
  }
}

extension Fixture {
  /// Runs `firstlight launch --format json` on the program.
  func launch(
    _ options: [String] = [], _ arguments: [String] = [], expecting status: Int32 = 0,
    environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LaunchDocument {
    let result = try Command.run(
      [Toolchain.firstlight, "launch", "--format", "json"] + options + ["--", executable]
        + arguments, environment: environment)
    try #require(
      result.status == status && !result.signalled, "\(result.errors)",
      sourceLocation: sourceLocation)
    return try JSONDecoder().decode(LaunchDocument.self, from: Data(result.output.utf8))
  }
}
