import FirstlightModel
import StartupReport
import SystemSupport

/// The conformance look-ups of a start, and the dearest pairs of type and protocol.
enum ConformanceLookupsText {
  /// - Parameter most: rows of the table.
  static func text(_ lookups: ConformanceLookups, _ most: Int) -> String {
    var text =
      "\nProtocol conformance look-ups: \(CountText.number(lookups.lookups.count)) "
      + "(\(CountText.number(lookups.positive)) found, "
      + "\(CountText.number(lookups.negative)) not\(unseen(lookups)))"
    let pairs = lookups.pairs
    text +=
      lookups.scans.map { ", \(CountText.number($0)) scanned all records" }
      ?? ", \(CountText.text(pairs.count, "different question"))"
    text += "; \(milliseconds(lookups.duration)) ms"
    if let share = lookups.share {
      text += ", \(NumberText.decimal(share * 100, digits: 1))% of the CPU time"
    }
    if lookups.mainThreadDuration != lookups.duration {
      text += " (\(milliseconds(lookups.mainThreadDuration)) ms in the main thread)"
    }
    var table = TextTable([.right, .right, .right, .left, .left, .left, .left, .left])
    table.add(row: ["ms", "look-ups", "scans", "found", "type", "protocol", "place", "caller"])
    let shown = pairs.prefix(most)
    let types = brief(shown.map(\.type))
    for (pair, type) in zip(shown, types) {
      table.add(
        row: [
          milliseconds(pair.own), CountText.number(pair.count),
          pair.scans.map { CountText.number($0) } ?? "?",
          pair.conforms.map { $0 ? "yes" : "no" } ?? "?", type,
          withoutModule(pair.proto),
          pair.caller.map { "\(BaseName.of($0.file)):\($0.line)" } ?? "",
          pair.caller.map(caller) ?? "-",
        ])
    }
    table.fit(without: 6, width: 100)
    text += "\n" + table.text()
    let rest = pairs.dropFirst(most)
    if !rest.isEmpty {
      text +=
        "\(CountText.text(rest.count, "other pair")): "
        + "\(milliseconds(rest.reduce(0) { $0 + $1.own })) ms together\n"
    }
    if lookups.scans == nil {
      text += "Scans are unknown: the Swift runtime has no symbol table\n"
    }
    return text
  }

  /// Returns that passed unseen, and look-ups at the end of the start.
  private static func unseen(_ lookups: ConformanceLookups) -> String {
    let count = lookups.lookups.count - lookups.positive - lookups.negative
    return count == 0 ? "" : ", \(CountText.text(count, "answer")) not seen"
  }

  /// A caller's name without `static` and labels, which take a quarter of a row.
  private static func caller(_ caller: ConformanceLookups.Caller) -> String {
    let name = ShortName.shown(name: "$s", demangled: caller.function)
    let start = name.hasPrefix("static ") ? name.dropFirst("static ".count) : name[...]
    let short = start.prefix { $0 != "(" }
    return short.isEmpty ? name : String(short)
  }

  /// Types without their modules and generic arguments; those of one such name are whole.
  private static func brief(_ types: [String]) -> [String] {
    let short = types.map { type in
      let name = withoutModule(type)
      return name.contains("<") ? name.prefix { $0 != "<" } + "<...>" : name
    }
    return zip(types, short).map { type, name in
      Set(zip(types, short).lazy.filter { $0.1 == name }.map(\.0)).count == 1 ? name : type
    }
  }

  private static func withoutModule(_ type: String) -> String {
    let module = type.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return type[module.endIndex...].hasPrefix(".")
      ? String(type[module.endIndex...].dropFirst()) : type
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    LaunchText.milliseconds(Double(nanoseconds) / 1e9)
  }
}
