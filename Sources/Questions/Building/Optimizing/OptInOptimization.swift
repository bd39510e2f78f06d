/// An opt-in option. It makes start-up cheaper, but has a drawback.
package enum OptInOptimization: String, CaseIterable, Sendable {
  case noExportDynamic = "no-export-dynamic"

  /// Its linker flags.
  package var linkerWords: [String] {
    switch self {
    case .noExportDynamic: ["--no-export-dynamic"]
    }
  }

  package var gain: String {
    switch self {
    case .noExportDynamic: "nearly eliminates the executable's tables of exported symbols"
    }
  }

  package var price: String {
    switch self {
    case .noExportDynamic:
      "dladdr and backtraces inside the program name fewer functions; plug-ins that use symbols of "
        + "the executable no longer load"
    }
  }
}

/// A step of `optimize` that can be left out.
package enum OptionalStep: String, CaseIterable, Sendable {
  case conformances

  package static var help: String {
    "Step to leave out: \(allCases.map(\.rawValue).joined(separator: ", ")). Repeatable."
  }
}
