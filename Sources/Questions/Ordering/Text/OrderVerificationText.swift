import FirstlightModel
import SystemSupport

/// The check of a binary against an order, as text.
package enum OrderVerificationText {
  /// The most names listed for a group.
  static let shown = 20

  package static func text(_ verification: OrderVerification) -> String {
    let entries = verification.entries
    let folded = entries.count { if case .folded = $0.fate { true } else { false } }
    var text =
      "\(CountText.number(verification.hits)) of \(CountText.text(entries.count, "name")) "
      + "(\(NumberText.share(verification.hitRate))) are in order"
    if !verification.outputSection.isEmpty { text += " in \(verification.outputSection)" }
    if folded > 0 { text += ", including \(CountText.number(folded)) folded into an earlier one" }
    if let movable = verification.movable {
      text += "; \(CountText.number(movable)) of \(CountText.number(entries.count)) movable"
    }
    text += ".\n"
    let addresses = entries.compactMap(\.address)
    if let first = addresses.min(), let last = addresses.max() {
      text += "Addresses \(hexadecimal(first)) to \(hexadecimal(last)). "
    }
    text +=
      "\(CountText.text(verification.pages, "page")) of "
      + "\(CountText.bytes(UInt64(verification.pageSize))) used, "
      + "at least \(CountText.number(verification.minimumPages)) needed for "
      + "\(CountText.bytes(verification.bytes)).\n"
    for (reason, misses) in groups(verification) {
      text += "\n\(CountText.text(misses.count, "name")) \(reason)\n"
      for miss in misses.prefix(shown) {
        text += "  \(miss.address.map(hexadecimal) ?? "-")  \(miss.name)\(detail(miss.fate))\n"
      }
      if misses.count > shown { text += "  ... (--format json lists all)\n" }
    }
    return text
  }

  private static func groups(
    _ verification: OrderVerification
  ) -> [(reason: String, misses: [OrderVerification.Entry])] {
    var groups: [(reason: String, misses: [OrderVerification.Entry])] = []
    for entry in verification.entries where entry.fate.isMiss {
      let reason = reason(entry.fate)
      if let index = groups.firstIndex(where: { $0.reason == reason }) {
        groups[index].misses.append(entry)
      } else {
        groups.append((reason, [entry]))
      }
    }
    return groups
  }

  private static func reason(_ fate: OrderVerification.Fate) -> String {
    switch fate {
    case .inOrder, .folded: ""
    case .absent: "absent: not a function of the binary"
    case .inlined: "inlined: only copies inside other functions are left"
    case .otherOutputSection: "in another output section"
    case .sharesSection: "in a shared section: compile its object with -ffunction-sections"
    case .outOfPlace: "out of place: check that the linker was given this order"
    }
  }

  private static func detail(_ fate: OrderVerification.Fate) -> String {
    switch fate {
    case .otherOutputSection(let name): "  in \(name)"
    case .sharesSection(let file?, _): "  in \(file)"
    case .sharesSection(_, let neighbour?): "  next to \(neighbour)"
    default: ""
    }
  }

  private static func hexadecimal(_ address: UInt64) -> String {
    "0x" + String(address, radix: 16)
  }
}
