import FirstlightModel

/// A property of a binary that slows its start-up or is a mistake.
package struct Finding: Hashable, Sendable {
  /// The subject; the raw value is its name in JSON.
  package enum Topic: String, Sendable {
    case relocations, instrumentation, text
    case exportedSymbols = "exported-symbols"
    case ownSections = "own-sections"
    case libraries, initializers, conformances
    case hashStyle = "hash-style"
    case debugInfo = "debug-info"
    case positionIndependence = "position-independence"
  }

  /// The cost in pages of 4 KiB.
  package enum Cost: Hashable, Sendable {
    /// Pages read or written in each start.
    case always(Int)
    /// Pages read only if the program touches them.
    case upTo(Int)
    /// Bytes on disk that are not loaded.
    case disk(UInt64)
    /// Another cost or none; the title describes it.
    case none

    /// Maximum number of pages.
    package var pages: Int {
      switch self {
      case .always(let pages), .upTo(let pages): pages
      case .disk, .none: 0
      }
    }
  }

  /// A number or names in support of a finding.
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
  /// A short description.
  package var title: String
  package var cost: Cost
  package var details: [Detail]
  /// The advice; empty if there is nothing to do.
  package var advice: String
  /// The cost of following the advice; empty if unknown.
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
