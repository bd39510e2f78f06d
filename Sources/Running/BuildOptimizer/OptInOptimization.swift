/// Something that makes start-up cheaper at a price that only the user can judge.
package enum OptInOptimization: String, CaseIterable {
  case noExportDynamic = "no-export-dynamic"

  /// Words for the linker.
  package var linkerWords: [String] {
    switch self {
    case .noExportDynamic: ["--no-export-dynamic"]
    }
  }

  package var gain: String {
    switch self {
    case .noExportDynamic: "the tables of the executable's own exported symbols all but vanish"
    }
  }

  package var price: String {
    switch self {
    case .noExportDynamic:
      "dladdr and backtraces inside the program name fewer functions, and plug-ins that use the "
        + "executable's own symbols no longer load"
    }
  }
}
