import SystemSupport

/// How long a function has been recorded without a call, in short.
package enum AgeText {
  /// "since 2026-08-01, 1,204 runs, 3 builds".
  package static func text(_ age: FunctionAge) -> String {
    var text = age.since.map { "since \(TimeText.day($0)), " } ?? ""
    text += CountText.text(age.runs, "run")
    if age.builds > 1 { text += ", \(CountText.text(age.builds, "build"))" }
    return text
  }

  /// The column of a list that shows ages; empty if it does not.
  static func column(_ row: FunctionReport, _ list: DeadCodeList) -> [String] {
    guard let times = list.changeTimes else { return [] }
    let age = FunctionAge(of: row, list.report.observation).map(text)
    let time = times[row.identity].map { "line of \(TimeText.day($0))" }
    return [[age, time].compactMap { $0 }.joined(separator: "; ")]
  }

  /// For programs; nil if the list does not show ages, or some run called the function.
  static func document(_ row: FunctionReport, _ list: DeadCodeList) -> JSONObject? {
    guard let times = list.changeTimes,
      let age = FunctionAge(of: row, list.report.observation)
    else { return nil }
    return [
      "since": age.since, "runs": age.runs, "builds": age.builds, "changed": times[row.identity],
    ]
  }
}
