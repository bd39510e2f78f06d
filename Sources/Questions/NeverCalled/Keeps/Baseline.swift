import FirstlightModel
import Foundation
import Reports
import SystemSupport

/// Known never-called functions, by their identities.
package struct Baseline: Hashable, Sendable {
  package var identities: Set<TextBytes>

  package init(identities: Set<TextBytes>) { self.identities = identities }

  /// The identities of all functions that a report lists.
  package init(of report: DeadCodeReport) {
    identities = Set(texts: report.listed.map(\.identity))
  }
}
