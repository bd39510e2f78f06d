import FirstlightModel
import SystemSupport

/// The check of a binary against an order, as JSON.
extension OrderVerification: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "names": entries.count, "hits": hits, "hitRate": hitRate, "outputSection": outputSection,
      "pages": pages, "minimumPages": minimumPages, "pageSize": pageSize, "bytes": bytes,
      "entries": entries,
    ]
  }
}

extension OrderVerification.Entry: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let outcome: JSONObject =
      switch fate {
      case .inOrder: ["fate": "in order"]
      case .folded(let other): ["fate": "folded", "foldedInto": other]
      case .absent: ["fate": "absent"]
      case .inlined: ["fate": "inlined"]
      case .otherOutputSection(let section):
        ["fate": "other output section", "outputSection": section]
      case .sharesSection(let file, let neighbour):
        ["fate": "shares section", "file": file, "neighbour": neighbour]
      case .outOfPlace: ["fate": "out of place"]
      }
    return outcome.adding(["name": name, "address": address])
  }
}
