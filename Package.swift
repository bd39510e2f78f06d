// swift-tools-version: 6.1
import PackageDescription

// The dependencies below are those of the tools. A package that uses only the product `Firstlight`
// says `traits: []` where it depends on this one, and fetches none of them
// (Tests/IntegrationTests/DependencyTests.swift holds it to that).
let tools: TargetDependencyCondition? = .when(traits: ["Tools"])

let package = Package(
  name: "firstlight",
  products: [
    .library(name: "Firstlight", targets: ["Firstlight"]),
    .library(name: "firstlight_rt", type: .static, targets: ["FirstlightRuntime"]),
    .executable(name: "firstlight", targets: ["FirstlightCLI"]),
  ],
  traits: [
    .trait(name: "Tools", description: "The command line tool and what it depends on."),
    .default(enabledTraits: ["Tools"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
  ],
  targets: [
    // C: the segment's layout, the runtime that goes into users' programs, the breakpoint recorder
    // of the command line tool, system libraries.
    .target(name: "FirstlightABI", path: "CSupport/FirstlightABI"),
    .target(
      name: "FirstlightRuntime", dependencies: ["FirstlightABI"],
      path: "CSupport/FirstlightRuntime"),
    .target(name: "FirstlightLauncher", path: "CSupport/FirstlightLauncher"),
    .target(name: "FirstlightTracer", path: "CSupport/FirstlightTracer"),
    .systemLibrary(
      name: "CElfutils", path: "CSupport/CElfutils", pkgConfig: "libelf",
      providers: [.apt(["libelf-dev"])]),

    // What users import.
    .target(name: "Firstlight", dependencies: ["FirstlightRuntime"]),

    // The tools, bottom up.
    .target(name: "FirstlightModel"),
    .target(name: "TraceReader", dependencies: ["FirstlightModel", "FirstlightABI"]),
    .target(name: "DebugInfo", dependencies: ["FirstlightModel", "CElfutils"]),
    .target(name: "SymbolOrdering", dependencies: ["FirstlightModel"]),
    .target(name: "DeadCode", dependencies: ["FirstlightModel", "RunStatistics"]),
    .target(
      name: "KeepRules",
      dependencies: [
        "FirstlightModel", "DeadCode",
        .product(name: "Yams", package: "Yams", condition: tools),
      ]),
    .target(name: "RunStatistics"),
    .target(name: "StartupCost", dependencies: ["FirstlightModel", "RunStatistics"]),
    .target(name: "LinkerFormats", dependencies: ["FirstlightModel", "SymbolOrdering"]),
    .target(
      name: "ReportFormats",
      dependencies: [
        "FirstlightModel", "DeadCode", "StartupCost", "RunStatistics", "SymbolOrdering",
      ]),
    .target(
      name: "ProfileStore",
      dependencies: [
        "FirstlightModel",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ]),
    .executableTarget(
      name: "FirstlightCLI",
      dependencies: [
        "FirstlightModel", "FirstlightTracer", "FirstlightLauncher", "TraceReader", "DebugInfo",
        "SymbolOrdering", "DeadCode", "StartupCost", "LinkerFormats", "ReportFormats",
        "ProfileStore", "KeepRules",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ]),

    // Sets orders against those of LLVM, on made-up traces; see Benchmarks/ordering.sh.
    .executableTarget(
      name: "OrderingBenchmark", dependencies: ["SymbolOrdering", "LinkerFormats"],
      path: "Benchmarks/Ordering"),

    .testTarget(name: "FirstlightModelTests", dependencies: ["FirstlightModel"]),
    .testTarget(name: "TraceReaderTests", dependencies: ["FirstlightModel", "TraceReader"]),
    .testTarget(
      name: "SymbolOrderingTests", dependencies: ["FirstlightModel", "SymbolOrdering"]),
    .testTarget(
      name: "LinkerFormatsTests",
      dependencies: ["FirstlightModel", "SymbolOrdering", "LinkerFormats"]),
    .testTarget(name: "DeadCodeTests", dependencies: ["FirstlightModel", "DeadCode"]),
    .testTarget(name: "KeepRulesTests", dependencies: ["DeadCode", "KeepRules"]),
    .testTarget(
      name: "ReportFormatsTests",
      dependencies: [
        "FirstlightModel", "DeadCode", "StartupCost", "SymbolOrdering", "ReportFormats",
      ]),
    .testTarget(name: "RunStatisticsTests", dependencies: ["RunStatistics"]),
    .testTarget(
      name: "StartupCostTests", dependencies: ["FirstlightModel", "RunStatistics", "StartupCost"]),
    .testTarget(name: "ProfileStoreTests", dependencies: ["FirstlightModel", "ProfileStore"]),
    // Runs the tools themselves on real programs; depends on nothing, so that it can be pointed at
    // any build of them with FIRSTLIGHT_BIN.
    .testTarget(name: "IntegrationTests"),
    .testTarget(name: "DebugInfoTests", dependencies: ["FirstlightModel", "DebugInfo"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
