import FirstlightModel
import StartupReport
import SystemSupport

/// The conformance look-ups of a start, and the dearest pairs of type and protocol.
enum ConformanceLookupsText {
  private static let widest = 48

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
    var table = TextTable([.right, .right, .right, .left, .left, .left, .left])
    table.add(row: ["ms", "look-ups", "scans", "found", "type", "protocol", "caller"])
    for pair in pairs.prefix(most) {
      table.add(
        row: [
          milliseconds(pair.own), CountText.number(pair.count),
          pair.scans.map { CountText.number($0) } ?? "?",
          pair.conforms.map { $0 ? "yes" : "no" } ?? "?", String(pair.type.prefix(widest)),
          String(pair.proto.prefix(widest)), pair.caller.map(caller) ?? "-",
        ])
    }
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

  private static func caller(_ caller: ConformanceLookups.Caller) -> String {
    let name = ShortName.shown(name: "$s", demangled: caller.function)
    return "\(BaseName.of(caller.file)):\(caller.line)  \(name.prefix(widest))"
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    LaunchText.milliseconds(Double(nanoseconds) / 1e9)
  }
}
