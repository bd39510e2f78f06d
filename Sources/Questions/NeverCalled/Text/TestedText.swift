import FirstlightModel
import SystemSupport

/// Texts about functions that only tests call, and about the tests' recordings.
enum TestedText {
  static func sums(_ rows: FunctionRows) -> String {
    "\(CountText.text(rows.count, "function")), \(CountText.bytes(rows.reduce(0) { $0 + $1.bytes }))"
  }

  private static let mostNamed = 3

  /// `tests: adds(), empties() and 2 more`; empty if nothing is known.
  static func note(_ row: FunctionReport, _ references: ReferenceText?) -> String {
    guard row.isCalledByTestsAlone else { return "" }
    var parts: [String] = []
    if row.reason == .onlyInTests { parts.append("not in the program") }
    let tests = references?.references.tests(row.identity) ?? []
    if !tests.isEmpty {
      var text = tests.count == 1 ? "test: " : "tests: "
      text += tests.prefix(mostNamed).map { Self.name($0) }.joined(separator: ", ")
      let more = tests.count - mostNamed
      parts.append(text + (more > 0 ? " and \(CountText.number(more)) more" : ""))
    }
    switch references?.group(row) {
    case .onlyTests, .deletable, nil: break
    case .onlyNeverCalled where !tests.isEmpty: break
    default: references?.text(row.identity).map { parts.append($0) }
    }
    return parts.joined(separator: "; ")
  }

  private static func name(_ test: TestFunction) -> String {
    test.name == "main" ? "main in \(test.file.split(at: "/").last ?? "")" : test.name
  }

  /// The extent of the tests' recordings, one sentence a line.
  static func observation(_ list: DeadCodeList) -> [String] {
    guard let tests = list.tests else { return [] }
    return DeadSentences.observation(tests).map {
      "Tests: " + $0.prefix(1).lowercased() + $0.dropFirst()
    }
  }

  /// The number and bytes of the never-called functions that tests call; nil if there are none.
  static func sum(_ list: DeadCodeList) -> String? {
    let rows = list.calledByTestsAlone
    return rows.isEmpty ? nil : "Tests alone call \(sums(rows))."
  }
}
