import FirstlightModel
import Ordering
import SystemSupport

/// A start-up report as JSON, with each start's values. Times are nanoseconds.
extension StartupReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let initializers = initializerRows.map {
      $0.jsonObject.adding(["demangled": names[$0.name] ?? $0.name])
    }
    let marks: [JSONObject] = marks.map {
      [
        "name": $0.name, "thread": $0.thread, "time": $0.time, "isSpan": $0.kind.isSpan,
        "duration": $0.kind.duration,
      ]
    }
    return conditions.host.jsonObject.adding([
      "command": command, "until": conditions.until, "cold": conditions.isCold,
      "source": source, "tracedDifference": tracedDifference,
      "failure": failure, "starts": plain, "watched": watched,
      "detailed": detailed, "share": failure == nil ? share : nil, "stages": stageRows,
      "tracing": tracing.quartiles(scale: 1e9),
      "tooNoisy": failure == nil ? Self.isTooNoisy(wall) : nil,
      "initializers": initializers, "images": imageRows, "relocations": relocations,
      "calls": calls?.calls, "scale": calls?.scale, "marks": marks,
      "conformanceLookups": lookups, "notes": conditions.notes,
    ])
  }
}

extension StartupReport.StageRow: JSONObjectConvertible {
  var jsonObject: JSONObject {
    [
      "kind": kind.rawValue, "duration": duration.quartiles(scale: 1e9),
      "minorFaults": minorFaults.quartiles(), "majorFaults": majorFaults.quartiles(),
      "share": share,
    ]
  }
}

/// The duration is absent if the initializer did not return.
extension StartupReport.InitializerRow {
  fileprivate var jsonObject: JSONObject {
    [
      "image": image, "name": name, "address": address, "order": order,
      "duration": duration.quartiles(scale: 1e9), "minorFaults": minorFaults.quartiles(),
      "majorFaults": majorFaults.quartiles(),
    ]
  }
}

extension StartupReport.ImageRow: JSONObjectConvertible {
  var jsonObject: JSONObject {
    [
      "path": path, "mapping": mapping.quartiles(scale: 1e9),
      "relocating": relocating.quartiles(scale: 1e9), "relocations": relocations,
      "loadedLater": isLoadedLater,
    ]
  }
}

/// `parent` is the index of the enclosing call.
extension CallTree.Call: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "name": name, "image": image, "file": file, "line": file == nil ? nil : line,
      "thread": thread, "time": time, "parent": outcome.parent < 0 ? nil : outcome.parent,
      "duration": outcome.duration, "own": own,
      "ending": "\(outcome.ending)", "minorFaults": outcome.minorFaults,
      "majorFaults": outcome.majorFaults,
    ]
  }
}

/// `duration` is without look-ups within others; `parent` is the index of the look-up around this one.
extension ConformanceLookups: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let lookups: [JSONObject] = lookups.map {
      [
        "type": $0.type, "protocol": $0.proto, "thread": $0.thread, "duration": $0.own,
        "parent": $0.parent, "scanned": $0.scanned, "conforms": $0.conforms,
        "caller": $0.caller?.jsonObject,
      ]
    }
    return [
      "count": lookups.count, "positive": positive, "negative": negative, "scans": scans,
      "duration": duration, "mainThreadDuration": mainThreadDuration, "cpuTime": cpuTime,
      "share": share, "lookups": lookups,
    ]
  }
}

extension ConformanceLookups.Caller {
  fileprivate var jsonObject: JSONObject {
    ["function": function, "file": file, "line": line]
  }
}

/// A comparison of two start-ups as JSON, with each run's values.
extension StartupComparison: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let sentences = ComparisonSentences(comparison: self)
    return conditions.host.jsonObject.adding([
      "cold": conditions.isCold, "even": evenness?.isEven, "warning": sentences.warning,
      "until": conditions.until, "arguments": conditions.arguments,
      "a": a.jsonObject(readahead: conditions.readahead.a),
      "b": b.jsonObject(readahead: conditions.readahead.b), "rows": rows,
      "conclusions": sentences.conclusions(), "droppedFiles": conditions.droppedFiles,
      "keptFiles": conditions.keptFiles, "notes": conditions.notes,
    ])
  }
}

extension StartupComparison.Side {
  fileprivate func jsonObject(readahead: Int?) -> JSONObject {
    let counts = (map?.countsBySection ?? [:]).sorted { $0.key < $1.key }
    let sections: [JSONObject] = counts.map {
      ["name": $0.key, "pages": $0.value.pages, "touched": $0.value.touched]
    }
    return [
      "path": facts.path, "buildID": facts.buildID?.description, "fileBytes": facts.fileSize,
      "readaheadKiB": readahead, "runs": runs.map(\.values), "touchedPages": map?.touched,
      "touchedExact": map?.isExact, "sections": sections,
    ]
  }
}

extension StartupComparison.Row: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    func spread(_ sample: Sample) -> JSONObject? {
      sample.quartiles()?.adding(["medianAbsoluteDeviation": sample.medianAbsoluteDeviation])
    }
    return [
      "metric": metric.rawValue, "unit": metric.unit, "a": spread(a), "b": spread(b),
      "change": change, "u": test.u, "p": test.p, "adjustedP": p, "effect": test.effect,
      "exact": test.isExact, "verdict": verdict.rawValue,
    ]
  }
}

/// A gate's result as JSON.
extension GateReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "outcome": result.outcome == .higher ? "regression" : result.outcome.rawValue,
      "program": program, "until": conditions.until, "arguments": conditions.arguments,
      "against": old, "runs": runs, "cold": conditions.isCold,
      "processor": conditions.processor, "maxRegression": result.maxRegression,
      "drift": result.drift[.time], "cpuDrift": result.drift[.cpuTime],
      "metrics": result.metrics, "counts": result.counts, "order": result.order,
      "machine": StartupBaseline.Machine(conditions.host), "notes": conditions.notes,
    ]
  }
}

extension GateResult.MetricRow: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "metric": metric.rawValue, "old": old.sorted, "new": new.sorted, "change": ratio,
      "verdict": verdict?.rawValue,
    ]
  }
}

extension Sample {
  /// Nil if the sample is empty.
  ///
  /// - Parameter scale: a unit of the sample in units of the document.
  func quartiles(scale: Double = 1) -> JSONObject? {
    guard count > 0 else { return nil }
    return [
      "median": median * scale, "lowerQuartile": quantile(0.25) * scale,
      "upperQuartile": quantile(0.75) * scale,
    ]
  }
}
