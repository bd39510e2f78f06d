import FirstlightModel
import Reports
import SystemSupport

/// A never-called list as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format").
enum DeadSARIF {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) throws(Failure) -> String {
    let dead = list.dead.map { row in
      Result(
        row: row, rule: row.verdict == .neverCalled ? 0 : 1,
        message: DeadSentences.text(row, references: references), paths: paths,
        references: references.flatMap { ReferenceDocument(row.identity, $0.references) })
    }
    let stale = list.staleKeeps.map {
      Result(
        row: $0, rule: 2, message: "\($0.name) is called, and kept: \($0.keepReason ?? "")",
        paths: paths)
    }
    let driver: JSONObject = [
      "name": "Firstlight", "informationUri": "https://github.com/firstlight/firstlight",
      "rules": rules.map { rule -> JSONObject in
        ["id": rule.id, "name": rule.name, "shortDescription": ["text": rule.text]]
      },
    ]
    let losses = list.losses
    let warning: JSONObject = [
      "level": "warning", "message": ["text": "losses: \(LossText.text(losses))"],
    ]
    let invocation: JSONObject = [
      "executionSuccessful": true,
      "toolExecutionNotifications": losses.isEmpty ? [] : [warning],
    ]
    let run: JSONObject = [
      "tool": ["driver": driver], "columnKind": "unicodeCodePoints", "invocations": [invocation],
      "results": dead + stale,
    ]
    let log: JSONObject = [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [run],
    ]
    return try JSONForm.pretty(log)
  }

  private static let rules = [
    (id: "never-called", name: "NeverCalled", text: "No recorded run called this function."),
    (
      id: "below-threshold", name: "BelowThreshold",
      text: "This function was called in fewer of the recorded runs than --below."
    ),
    (
      id: "stale-keep", name: "StaleKeep",
      text: "This function is called: its keep comment or rule is not needed."
    ),
  ]

  private struct Result: JSONObjectConvertible {
    var row: FunctionReport
    var rule: Int
    var message: String
    var paths: SourcePaths
    /// The references to the function, if an index was read.
    var references: ReferenceDocument?

    var jsonObject: JSONObject {
      let place: JSONObject? = row.file.map { file in
        [
          "artifactLocation": ["uri": paths.uri(file)],
          "region": row.line > 0 ? ["startLine": row.line] : nil,
        ]
      }
      let function = [
        "name": row.name, "fullyQualifiedName": row.name, "decoratedName": row.mangledName,
        "kind": "function",
      ]
      let location: JSONObject = ["physicalLocation": place, "logicalLocations": [function]]
      let properties: JSONObject = [
        "bytes": row.bytes, "watchedRuns": row.watchedRuns, "calledRuns": row.calledRuns,
        "upperBound": row.bound, "references": references,
      ]
      return [
        "ruleId": DeadSARIF.rules[rule].id, "ruleIndex": rule,
        "level": rule == 0 ? "warning" : "note",
        "message": ["text": message], "locations": [location],
        "partialFingerprints": ["firstlightFunction/v1": row.identity], "properties": properties,
      ]
    }
  }
}
