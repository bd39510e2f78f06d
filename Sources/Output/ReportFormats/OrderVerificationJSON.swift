import FirstlightModel
import SymbolOrdering
import TextFormatting

/// Whether a binary follows an order, for programs.
package enum OrderVerificationJSON {
  package static func text(_ verification: OrderVerification) throws(Failure) -> String {
    try JSONForm.pretty(
      Document(
        names: verification.entries.count, hits: verification.hits, hitRate: verification.hitRate,
        outputSection: verification.outputSection, pages: verification.pages,
        minimumPages: verification.minimumPages, pageSize: verification.pageSize,
        bytes: verification.bytes, entries: verification.entries.map(EntryDocument.init)))
  }

  private struct Document: Encodable {
    var names, hits: Int
    var hitRate: Double
    var outputSection: String
    var pages, minimumPages: Int
    var pageSize: UInt32
    var bytes: UInt64
    var entries: [EntryDocument]
  }

  private struct EntryDocument: Encodable {
    var name, fate: String
    var address: UInt64?
    var foldedInto, outputSection, file, neighbour: String?

    init(_ entry: OrderVerification.Entry) {
      name = entry.name
      address = entry.address
      switch entry.fate {
      case .inOrder: fate = "in order"
      case .folded(let other):
        fate = "folded"
        foldedInto = other
      case .absent: fate = "absent"
      case .inlined: fate = "inlined"
      case .otherOutputSection(let section):
        fate = "other output section"
        outputSection = section
      case .sharesSection(let file, let neighbour):
        fate = "shares section"
        self.file = file
        self.neighbour = neighbour
      case .outOfPlace: fate = "out of place"
      }
    }
  }
}
