import DeadCode
import FirstlightModel
import SystemSupport

/// What tests do with functions that the program does not call, as text.
struct TestedText {
  let list: DeadCodeList
  /// Nil if no index was read.
  let references: ReferenceText?
  let paths: SourcePaths

  /// The functions that tests alone call; empty if there are none.
  var text: String {
    let rows = list.rows.filtered(\.isCalledByTestsAlone)
    guard !rows.isEmpty else { return "" }
    var table = TextTable([.right, .left, .left, .left])
    for row in list.limit.map(rows.first) ?? rows {
      let place = row.file.map { paths.shown($0) + (row.line > 0 ? ":\(row.line)" : "") }
      table.add(
        row: [
          CountText.bytes(row.bytes), list.showsFullNames ? row.name : row.shortName,
          place ?? row.moduleLabel, Self.note(row, references),
        ])
    }
    let more = rows.count - table.count
    return "\nCalled by tests alone: \(Self.sums(rows))\n" + table.text(indent: "  ")
      + (more > 0 ? "  and \(CountText.number(more)) more: raise --limit\n" : "")
  }

  /// The list without the functions that tests alone call.
  var rest: DeadCodeList {
    var rest = list
    rest.rows.removeAll(where: \.isCalledByTestsAlone)
    return rest
  }

  /// The heading of the other functions; nil if there are none.
  var heading: String? {
    let rows = rest.rows
    return rows.isEmpty || list.showsAll
      ? nil : "Called by neither the program nor its tests: \(Self.sums(rows))"
  }

  private static func sums(_ rows: FunctionRows) -> String {
    "\(CountText.text(rows.count, "function")), \(CountText.bytes(rows.reduce(0) { $0 + $1.bytes }))"
  }

  // MARK: One function

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
    test.name == "main" ? "main in \(test.file.split(separator: "/").last ?? "")" : test.name
  }

  // MARK: Sentences

  /// How much of the tests was recorded, and why no test is named, one sentence a line.
  static func observation(_ list: DeadCodeList) -> [String] {
    guard let tests = list.tests else { return [] }
    return DeadSentences.observation(tests).map {
      "Tests: " + $0.prefix(1).lowercased() + $0.dropFirst()
    }
  }

  /// The share of the never-called functions that tests call; nil if there is none.
  static func sum(_ list: DeadCodeList) -> String? {
    let rows = list.calledByTestsAlone
    return rows.isEmpty ? nil : "Tests alone call \(sums(rows))."
  }
}
