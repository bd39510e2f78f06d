import ArgumentParser

/// Something that makes start-up cheaper at a price that only the user can judge.
enum LinkLever: String, CaseIterable, ExpressibleByArgument {
  case noExportDynamic = "no-export-dynamic"

  /// Words for the linker.
  var linkerWords: [String] {
    switch self {
    case .noExportDynamic: ["--no-export-dynamic"]
    }
  }

  var gain: String {
    switch self {
    case .noExportDynamic: "the tables of the executable's own exported symbols all but vanish"
    }
  }

  var price: String {
    switch self {
    case .noExportDynamic:
      "dladdr and backtraces inside the program name fewer functions, and plug-ins that use the "
        + "executable's own symbols no longer load"
    }
  }
}
