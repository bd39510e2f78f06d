import FirstlightModel
import Inspection
import SystemSupport

/// A timeline as JSON. Times are nanoseconds since the first process's start.
extension Timeline: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let marks: [JSONObject] = marks.map {
      [
        "name": $0.name, "thread": $0.thread, "start": $0.start, "isSpan": $0.kind.isSpan,
        "duration": $0.kind.duration,
      ]
    }
    return [
      "command": run.command, "processes": processes, "threads": threads,
      "functions": functions, "spans": spans, "marks": marks,
    ]
  }
}

/// The duration is absent if only the entry was seen.
extension TimelineSpan: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    var isOpenEnded = false
    if case .atLeast = duration { isOpenEnded = true }
    return [
      "function": function, "thread": thread, "parent": parent, "start": start,
      "duration": isMoment ? nil : length, "selfTime": isMoment ? nil : selfTime,
      "isOpenEnded": isOpenEnded,
      "isSelfTimeAtMost": isSelfTimeAtMost, "ending": ending.rawValue,
      "isInitializer": isInitializer, "minorFaults": minorFaults, "majorFaults": majorFaults,
    ]
  }
}
