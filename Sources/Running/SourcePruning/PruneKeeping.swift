import DeclarationRemoval

/// Why a candidate stays.
package enum PruneKeeping: Hashable, Sendable {
  case declaration(KeepingReason)
  /// Its file cannot be read, or is not in the project.
  case file(String)
  /// This one stays, and refers to it.
  case neededBy(String)

  package var text: String {
    switch self {
    case .declaration(let reason): reason.rawValue
    case .file(let reason): reason
    case .neededBy(let name): "\(name) stays and refers to it"
    }
  }
}
