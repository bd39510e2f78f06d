import FirstlightModel
import SystemSupport

/// A never-called list as JSON. Documentation/Dead.md lists the keys.
struct DeadJSON: JSONObjectConvertible {
  var list: DeadCodeList
  var references: FunctionReferences?

  var jsonObject: JSONObject {
    let versions = list.report.observation.versions
    let weights: JSONObject = [
      "modules": list.weights { [$0.module] }, "files": list.weights { [$0.file ?? ""] },
      "owners": list.weights { $0.owners },
    ]
    let baseline: JSONObject = ["known": list.knownCount, "outdated": list.outdated]
    return [
      "observed": list.report.observation, "totals": totals, "equation": list.sums,
      "functions": list.rows.map {
        FunctionDocument(
          function: $0, versions: versions, references: references,
          age: AgeText.document($0, list))
      },
      "modules": list.coverage, "weights": weights,
      "staleKeeps": list.staleKeeps.map(\.identity), "baseline": baseline,
      "tests": list.tests, "changed": list.change.map { changed($0) },
    ]
  }

  /// All changed functions, and what is not known of the change.
  private func changed(_ change: SourceChange) -> JSONObject {
    let functions = Verdict.Answer.allCases.flatMap { answer in
      list.changed(answer).map { row -> JSONObject in
        [
          "identity": row.identity, "name": row.name, "file": row.file, "line": row.line,
          "verdict": row.verdict.rawValue, "answer": answer.rawValue, "isNew": change.isNew(row),
        ]
      }
    }
    return [
      "revision": change.revision, "mergeBase": change.mergeBase, "functions": functions,
      "changedAfterRecording": change.outdated, "notRecorded": change.unrecorded,
      "changedMacrosIn": change.reached.sorted().map(\.text),
      "submodules": change.submodules, "linesInNoFunction": change.linesOutside,
    ]
  }

  /// The sums of the project's own code, as in the formats for people.
  private var totals: JSONObject {
    let sums = list.sums
    return JSONObject(sums.functionVerdicts, of: Verdict.allCases.filter { $0 != .folded }).adding([
      "functions": sums.functions, "otherCode": list.report.sums.functions - sums.functions,
      "nameless": list.namelessCount, "unknown": list.unknownCount,
      "neverCalledBytes": list.bytes(.neverCalled),
      "deletable": references.map(deletable),
      "calledByTestsAlone": list.tests.map { _ -> JSONObject in
        let rows = list.calledByTestsAlone
        return ["functions": rows.count, "bytes": rows.reduce(0) { $0 + $1.bytes }]
      },
    ])
  }

  private func deletable(_ references: FunctionReferences) -> JSONObject {
    let rows = list.gated.filter { references.group($0.identity) == .deletable }
    let bytes = rows.reduce(0) { $0 + $1.bytes }
    let lines = rows.reduce(0) { $0 + (references.lineCount($1.identity) ?? 0) }
    return ["functions": rows.count, "bytes": bytes, "lines": lines]
  }
}

extension JSONObject {
  /// The number of functions with each verdict.
  fileprivate init(_ counts: [Verdict: Int], of verdicts: [Verdict] = Verdict.allCases) {
    self = [:]
    for verdict in verdicts { self = adding(["\(verdict)": counts[verdict, default: 0]]) }
  }
}

/// `guards` is the sum of the verdicts, `outside` and `otherCode`.
extension DeadCodeReport.Sums: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    JSONObject(guardVerdicts).adding([
      "guards": guards, "outside": outside, "otherCode": foreign, "isBalanced": isBalanced,
      "functionsWithoutGuard": withoutGuard.values.reduce(0, +),
    ])
  }
}

/// `functions` counts the functions whose calls runs can show. `share` is the share of called ones; it is absent if
/// there are `unknown` functions, which may have run unseen. Then `shareAtLeast` is the share if none of them ran.
extension ModuleCoverage: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "name": name, "functions": recorded, "called": called, "neverCalled": neverCalled,
      "unknown": unknown, "neverCalledBytes": neverCalledBytes, "share": share,
      "shareAtLeast": shareAtLeast,
    ]
  }
}

extension Observation: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let endings: [JSONObject] = badEndings.map {
      ["text": $0.ending.text, "runs": $0.count, "isInterrupted": $0.ending.isInterrupted]
    }
    return [
      "runs": runs, "windows": windows, "windowSeconds": windowSeconds,
      "processes": processes, "hosts": hosts,
      "versions": versions,
      "seconds": timeObserved, "startedAt": startedAt, "endedAt": endedAt, "losses": losses,
      "problems": problems.map(\.text), "badEndings": endings,
      "withoutDebugInfo": imagesWithoutDebugInfo,
    ]
  }
}

private struct FunctionDocument: JSONObjectConvertible {
  var function: FunctionReport
  var versions: [ImageVersion]
  var references: FunctionReferences?
  var age: JSONObject?

  /// `origin` is `own`, `tests` or `dependency`; absent if unknown.
  var jsonObject: JSONObject {
    let row = function
    return [
      "identity": row.identity, "module": row.module, "name": row.name,
      "image": row.images.joined(separator: " "), "shortName": row.shortName,
      "mangledName": row.mangledName, "verdict": row.verdict.rawValue,
      "reason": row.reason.name, "origin": row.origin?.rawValue, "file": row.file,
      "line": row.line > 0 ? row.line : nil,
      "bytes": row.bytes, "compilerGenerated": row.verdict == .compilerGenerated,
      "watchedRuns": row.watchedRuns, "calledRuns": row.calledRuns, "runShare": row.runShare,
      "upperBound": row.bound, "firstSeen": row.firstSeen > 0 ? row.firstSeen : nil,
      "lastSeen": row.lastSeen > 0 ? row.lastSeen : nil, "pieces": row.pieces,
      "keep": row.keepReason, "unusedSince": row.unusedSince.map { versions[$0].buildID },
      "owners": row.owners.isEmpty ? nil : row.owners,
      "references": references.flatMap { ReferenceDocument(row.identity, $0) },
      "age": age, "tests": row.tests.map(tests),
    ]
  }

  /// `calls` is absent if the tests' recording does not show whether they call the function.
  private func tests(_ answer: Verdict.Answer) -> JSONObject {
    let found = references?.tests(function.identity) ?? []
    return [
      "calls": answer == .unknown ? nil : answer == .called,
      "functions": found.map { ["name": $0.name, "file": $0.file, "line": $0.line] as JSONObject },
      "isInProgram": !function.isOnlyInTests,
    ]
  }
}

/// `kind` is `function` or the kind of piece; `build` the build's index in the profile, absent of a piece that
/// is in no build.
extension FunctionReport.Piece: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let place =
      switch code {
      case .guarded: "guarded"
      case .unguarded: "unguarded"
      case .copies: "inlined"
      case .counted: "counted"
      case .dropped: "dropped"
      }
    return [
      "kind": kind?.rawValue ?? "function", "place": place, "mangledName": name, "build": build,
    ]
  }
}
