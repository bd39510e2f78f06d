import FirstlightModel
import Reports
import SystemSupport

extension ConformanceLookups {
  /// The sums, and the slowest pairs of type and protocol.
  ///
  /// - Parameter most: rows of the table.
  func blocks(_ most: Int) -> [Document.Block] {
    func milliseconds(_ time: UInt64) -> String { StartupReport.milliseconds(Double(time) / 1e9) }
    let pairs = pairs
    // Returns that passed unseen, and look-ups at the end of the start.
    let unseen = lookups.count - positive - negative
    var head =
      "Protocol conformance look-ups: \(CountText.number(lookups.count)) "
      + "(\(CountText.number(positive)) found, \(CountText.number(negative)) not"
      + (unseen == 0 ? ")" : ", \(CountText.text(unseen, "answer")) not seen)")
    head +=
      scans.map { ", \(CountText.number($0)) scanned all records" }
      ?? ", \(CountText.text(pairs.count, "different question"))"
    head += "; \(milliseconds(duration)) ms"
    if let share { head += ", \(NumberText.decimal(share * 100, digits: 1))% of the CPU time" }
    if mainThreadDuration != duration {
      head += " (\(milliseconds(mainThreadDuration)) ms in the main thread)"
    }
    let shown = pairs.prefix(most)
    let rest = pairs.dropFirst(most)
    let types = Self.brief(shown.map(\.type))
    let callers = Set(shown.map { $0.caller.map(Self.name) ?? "-" })
    var notes =
      rest.isEmpty
      ? []
      : [
        "\(CountText.text(rest.count, "other pair")): "
          + "\(milliseconds(rest.reduce(0) { $0 + $1.own })) ms together"
      ]
    let isOneCaller = shown.count > 1 && callers.count == 1
    if isOneCaller, let caller = callers.first, caller != "-" {
      notes.append("Asked by \(caller)")
    }
    if scans == nil { notes.append("Scans are unknown: the Swift runtime has no symbol table") }
    return [
      .table(
        Document.Table(
          head,
          [
            .number("ms"), .number("look-ups", drop: 2), .number("scans", drop: 3),
            .text("found", drop: 4), .text("type"), .text("protocol"),
            .text("place", drop: 5, optional: true),
            .text("caller", drop: 1, optional: isOneCaller),
          ],
          zip(shown, types).map { pair, type in
            [
              milliseconds(pair.own), CountText.number(pair.count),
              pair.scans.map { CountText.number($0) } ?? "?",
              pair.conforms.map { $0 ? "yes" : "no" } ?? "?", type, Self.withoutModule(pair.proto),
              pair.caller.map { "\(BaseName.of($0.file)):\($0.line)" } ?? "-",
              isOneCaller ? "-" : pair.caller.map(Self.name) ?? "-",
            ]
          }, notes: notes))
    ]
  }

  /// A caller's name without `static` and labels, which take a quarter of a row.
  private static func name(_ caller: Caller) -> String {
    let name = FunctionIdentity(name: "$s", demangled: caller.function).shownName
    let start = name.removing(prefix: "static ") ?? name[...]
    let short = start.prefix(upToAny: "(")
    return short.isEmpty ? name : String(short)
  }

  /// Types without their modules and generic arguments; those of one such name are whole.
  private static func brief(_ types: [String]) -> [String] {
    let short = types.map { type in
      let name = withoutModule(type)
      return name.containsUTF8("<") ? name.prefix(upToAny: "<") + "<...>" : name
    }
    let named = Dictionary(grouping: zip(short, types), by: \.0).mapValues { Set($0.map(\.1)) }
    return zip(types, short).map { type, name in named[name]?.count == 1 ? name : type }
  }

  private static func withoutModule(_ type: String) -> String {
    let module = type.utf8.prefix(while: \.isWordPart)
    return type[module.endIndex...].removing(prefix: ".").map(String.init) ?? type
  }
}
