import BinaryInspection
import FirstlightModel
import StartupReport
import TextFormatting

/// An account of a binary's start-up for programs.
package enum BinaryReportJSON {
  package static func text(_ account: BinaryReport) throws(Failure) -> String {
    try JSONForm.pretty(Document(account))
  }

  private struct Document: Encodable {
    var path, kind, linkage, architecture: String
    var buildID, interpreter: String?
    var fileBytes: UInt64
    var positionIndependent: Bool
    var guards: Int
    var relocations: Relocations
    var needed: [String]
    var exportedSymbols, importedSymbols: Int
    var initializers: [InitializerDocument]
    var findings: [FindingDocument]
    var sections: [Section]

    init(_ account: BinaryReport) {
      let facts = account.facts
      path = facts.path
      kind = facts.kind.rawValue
      linkage = BinaryReportText.linkage(facts)
      architecture = facts.architecture
      buildID = facts.buildID?.description
      interpreter = facts.interpreter
      fileBytes = facts.fileSize
      positionIndependent = facts.isPositionIndependent
      guards = facts.guardCount
      relocations = Relocations(facts.relocations)
      needed = facts.dynamic.needed
      exportedSymbols = facts.dynamic.exported.count
      importedSymbols = facts.dynamic.imported.count
      initializers = facts.initializers.map {
        InitializerDocument(list: $0.list, address: $0.address, name: $0.name)
      }
      findings = account.findings.map(FindingDocument.init)
      sections = facts.sections.filter(\.isLoaded).map {
        Section(name: $0.name, bytes: $0.size, filePages: $0.filePages().count)
      }
    }
  }

  private struct Relocations: Encodable {
    var counts: [String: Int]
    var packed: Int
    var tableBytes: [String: UInt64]
    var dirtiedPages: Int
    var dirtiedPagesBySection: [String: Int]

    init(_ facts: RelocationFacts) {
      counts = facts.counts
      packed = facts.packed
      tableBytes = Dictionary(facts.tables.map { ($0.name, $0.bytes) }, uniquingKeysWith: +)
      dirtiedPages = facts.dirtiedPagesInAll
      dirtiedPagesBySection = facts.dirtiedPages
    }
  }

  private struct InitializerDocument: Encodable {
    var list: String
    var address: UInt64
    var name: String
  }

  private struct Section: Encodable {
    var name: String
    var bytes: UInt64
    var filePages: Int
  }

  private struct FindingDocument: Encodable {
    var topic, title: String
    var pages: Int?
    /// Whether `pages` is an upper bound.
    var upTo: Bool?
    var diskBytes: UInt64?
    var details: [Detail]
    var advice, price: String?

    init(_ finding: Finding) {
      topic = finding.topic.rawValue
      title = finding.title
      switch finding.cost {
      case .always(let count): (pages, upTo) = (count, false)
      case .upTo(let count): (pages, upTo) = (count, true)
      case .disk(let bytes): diskBytes = bytes
      case .none: break
      }
      details = finding.details.map(Detail.init)
      advice = finding.advice.isEmpty ? nil : finding.advice
      price = finding.price.isEmpty ? nil : finding.price
    }
  }

  private struct Detail: Encodable {
    var label: String
    var count: Int?
    var pages: Int?
    var bytes: UInt64?
    var text: String?
    var names: [String]?

    init(_ detail: Finding.Detail) {
      label = String(detail.label.drop { $0 == " " })
      switch detail.value {
      case .count(let value): count = value
      case .pages(let value): pages = value
      case .bytes(let value): bytes = value
      case .text(let value): text = value
      case .names(let value): names = value
      }
    }
  }
}
