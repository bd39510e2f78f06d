/// One thing of a binary that costs something when it starts, or that is not as it should be.
package struct Finding: Hashable, Sendable {
  /// What it is about; the raw value is its name in JSON.
  package enum Topic: String, Sendable {
    case relocations, instrumentation, text
    case exportedSymbols = "exported-symbols"
    case ownSections = "own-sections"
    case libraries, initializers
    case hashStyle = "hash-style"
    case debugInfo = "debug-info"
    case positionIndependence = "position-independence"
  }

  /// What it costs, in pages of 4 KiB.
  package enum Cost: Hashable, Sendable {
    /// Read or written in each start.
    case always(Int)
    /// Read as far as the program touches it.
    case upTo(Int)
    /// Takes room on disk and is not loaded.
    case disk(UInt64)
    /// Costs something else, or nothing; the title says it.
    case none

    /// Pages, at most.
    package var pages: Int {
      switch self {
      case .always(let pages), .upTo(let pages): pages
      case .disk, .none: 0
      }
    }
  }

  /// A number or names behind a finding.
  package struct Detail: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case count(Int)
      case pages(Int)
      case bytes(UInt64)
      case text(String)
      case names([String])
    }
    package var label: String
    package var value: Value

    package init(_ label: String, _ value: Value) {
      self.label = label
      self.value = value
    }
  }

  package var topic: Topic
  /// What is so, in a few words.
  package var title: String
  package var cost: Cost
  package var details: [Detail]
  /// What to do; empty if nothing needs to be done.
  package var advice: String
  /// What following the advice costs; empty if nothing is known.
  package var price: String

  package init(
    _ topic: Topic, _ title: String, cost: Cost, details: [Detail] = [], advice: String = "",
    price: String = ""
  ) {
    self.topic = topic
    self.title = title
    self.cost = cost
    self.details = details
    self.advice = advice
    self.price = price
  }
}
