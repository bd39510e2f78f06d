import DeadCode
import FirstlightModel
import TextFormatting

/// A never-called list as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format").
enum DeadSARIF {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) throws(Failure) -> String {
    let stale = list.report.staleKeeps
    let results =
      list.dead.map { row in
        var result = Result(
          row, rule: rule(row), message: DeadSentences.text(row, references: references), paths)
        result.properties.references = references.flatMap {
          ReferenceDocument(row.identity, $0.references)
        }
        return result
      }
      + stale.map {
        Result(
          $0, rule: 2, message: "\($0.name) is called, and kept: \($0.keepReason ?? "")", paths)
      }
    let losses = list.report.observation.losses
    return try JSONForm.pretty(
      Log(
        schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0",
        runs: [
          Run(
            tool: Tool(
              driver: Driver(
                name: "Firstlight", informationUri: "https://github.com/firstlight/firstlight",
                rules: rules)),
            columnKind: "unicodeCodePoints",
            invocations: [
              Invocation(
                executionSuccessful: true,
                toolExecutionNotifications: losses.isEmpty
                  ? []
                  : [
                    Notification(
                      level: "warning",
                      message: Message(text: "losses: \(LossText.text(losses))"))
                  ])
            ],
            results: results)
        ]))
  }

  private static func rule(_ row: FunctionReport) -> Int { row.verdict == .neverCalled ? 0 : 1 }

  private static let rules = [
    Rule(id: "never-called", name: "NeverCalled", text: "No recorded run called this function."),
    Rule(
      id: "below-threshold", name: "BelowThreshold",
      text: "This function was called in fewer of the recorded runs than --below."),
    Rule(
      id: "stale-keep", name: "StaleKeep",
      text: "This function is called: its keep comment or rule is not needed."),
  ]

  private struct Log: Encodable {
    enum CodingKeys: String, CodingKey {
      case schema = "$schema"
      case version, runs
    }
    var schema, version: String
    var runs: [Run]
  }

  private struct Run: Encodable {
    var tool: Tool
    var columnKind: String
    var invocations: [Invocation]
    var results: [Result]
  }

  private struct Tool: Encodable { var driver: Driver }

  private struct Driver: Encodable {
    var name, informationUri: String
    var rules: [Rule]
  }

  private struct Rule: Encodable {
    var id, name: String
    var shortDescription: Message

    init(id: String, name: String, text: String) {
      self.id = id
      self.name = name
      shortDescription = Message(text: text)
    }
  }

  private struct Invocation: Encodable {
    var executionSuccessful: Bool
    var toolExecutionNotifications: [Notification]
  }

  private struct Notification: Encodable {
    var level: String
    var message: Message
  }

  private struct Message: Encodable { var text: String }

  private struct Result: Encodable {
    var ruleId: String
    var ruleIndex: Int
    var level: String
    var message: Message
    var locations: [Location]
    var partialFingerprints: [String: String]
    var properties: Properties

    init(_ row: FunctionReport, rule: Int, message: String, _ paths: SourcePaths) {
      ruleId = DeadSARIF.rules[rule].id
      ruleIndex = rule
      level = rule == 0 ? "warning" : "note"
      self.message = Message(text: message)
      locations = [Location(row, paths)]
      partialFingerprints = ["firstlightFunction/v1": row.identity]
      properties = Properties(
        bytes: row.bytes, watchedRuns: row.watchedRuns, calledRuns: row.calledRuns,
        upperBound: row.bound)
    }
  }

  private struct Properties: Encodable {
    var bytes: UInt64
    var watchedRuns, calledRuns: Int
    var upperBound: Double
    /// What refers to it, where an index was read.
    var references: ReferenceDocument?
  }

  private struct Location: Encodable {
    struct Physical: Encodable {
      struct Artifact: Encodable { var uri: String }
      struct Region: Encodable { var startLine: Int }
      var artifactLocation: Artifact
      var region: Region?
    }
    struct Logical: Encodable { var name, fullyQualifiedName, decoratedName, kind: String }
    var physicalLocation: Physical?
    var logicalLocations: [Logical]

    init(_ row: FunctionReport, _ paths: SourcePaths) {
      physicalLocation = row.file.map {
        Physical(
          artifactLocation: .init(uri: paths.uri($0)),
          region: row.line > 0 ? .init(startLine: row.line) : nil)
      }
      logicalLocations = [
        Logical(
          name: row.name, fullyQualifiedName: row.name, decoratedName: row.mangledName,
          kind: "function")
      ]
    }
  }
}
