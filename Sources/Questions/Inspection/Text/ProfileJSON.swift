import FirstlightModel
import SystemSupport

/// The contents of a profile, as JSON.
extension Profile: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let seconds = runs.reduce(0) { $0 + max(0, $1.endedAt - $1.startedAt) }
    return [
      "builds": builds, "runs": runs, "processes": processes, "losses": losses,
      "secondsObserved": seconds,
    ]
  }
}

extension RecordedBuild: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "buildID": build.buildID.description, "recorder": build.recorder.rawValue,
      "path": build.path, "kind": build.kind.rawValue, "architecture": build.architecture,
      "guards": build.guardCount, "functions": build.guarded.count,
      "called": coverage.count { $0.isCalled }, "runs": runs, "hasSymbols": build.hasSymbols,
      "hasDebugInfo": build.hasDebugInfo,
    ]
  }
}

extension Run: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    host.jsonObject.adding([
      "id": id, "command": command, "startedAt": startedAt, "endedAt": endedAt,
      "outcome": outcome, "attachment": attachment?.rawValue, "problems": problems,
    ])
  }
}

extension RecordedProcess: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    // Times are seconds since the process's start.
    let marks: [JSONObject] = marks.map {
      [
        "kind": $0.kind.isSpan ? "span" : "mark", "name": $0.name, "thread": $0.thread,
        "after": Double($0.time) / 1e9, "seconds": $0.kind.duration.map { Double($0) / 1e9 },
      ]
    }
    return [
      "id": id, "run": run, "pid": pid, "parentPID": parentPID, "forkedFrom": forkedFrom,
      "path": path, "arguments": arguments, "startedAt": startedAt, "readyAfter": readyAfter,
      "firstCalls": callCount, "threads": Set(calls.map(\.thread)).count,
      "traceLeftOut": isTraceLeftOut, "hasReturns": !returns.isEmpty, "hasLaunch": launch != nil,
      "marks": marks, "losses": losses,
    ]
  }
}

extension Host {
  package var jsonObject: JSONObject {
    [
      "host": name, "kernel": kernel, "architecture": architecture, "processor": processor,
      "cores": cores,
    ]
  }
}

extension ProgramMark.Kind {
  package var isSpan: Bool { self != .mark }

  /// Nanoseconds; nil for marks, and for spans whose end was not seen.
  package var duration: UInt64? {
    if case .span(let duration) = self { duration } else { nil }
  }
}
