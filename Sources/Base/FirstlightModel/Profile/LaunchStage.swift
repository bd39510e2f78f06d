/// One part of a start-up.
package struct LaunchStage: Hashable, Sendable, Codable {
  package var kind: Kind
  package var start: UInt64
  package var duration: UInt64
  /// Page faults of the process during the stage.
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  package enum Kind: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// From the request to start the program to its first instruction, or to that of a program before it.
    case exec
    /// Programs that the process executed before this one, such as the interpreter of a script that ends with exec.
    case earlier
    /// The loader finds and maps shared libraries.
    case mapping
    /// The loader relocates images and binds symbols.
    case relocating
    /// Initializers of shared libraries and of the executable, and the C library's work around them.
    case initializers
    /// From the start of `main` to ready or to the end of the process.
    case main
    /// Unseen stages between the recorded ones, where they cannot be separated.
    case unknown

    /// The displayed name.
    package var title: String {
      switch self {
      case .exec: "exec"
      case .earlier: "earlier programs"
      case .mapping: "mapping"
      case .relocating: "relocating"
      case .initializers: "initializers"
      case .main: "main"
      case .unknown: "the rest"
      }
    }
  }

  package init(
    kind: Kind, start: UInt64, duration: UInt64, minorFaults: UInt64, majorFaults: UInt64
  ) {
    self.kind = kind
    self.start = start
    self.duration = duration
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
  }
}
