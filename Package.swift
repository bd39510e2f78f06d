// swift-tools-version: 6.1
import PackageDescription

// The dependencies below are those of the tools and of bridges. A package that uses only the products
// `Firstlight` and `FirstlightLaunch` says `traits: []` where it depends on this one, and fetches none of
// them (Tests/IntegrationTests/DependencyTests.swift holds it to that).
func tool(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Tools"]))
}

/// The trait of a bridge has the name of the product that it leads to.
func bridged(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: [product]))
}

func c(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "CSupport/\(name)")
}

/// A module by floor and name: `Base/FirstlightModel`.
func module(
  _ place: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil
) -> Target {
  .target(
    name: String(place.split(separator: "/")[1]), dependencies: dependencies,
    path: "Sources/\(place)", resources: resources)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies)
}

let package = Package(
  name: "firstlight",
  products: [
    .library(name: "Firstlight", targets: ["Firstlight"]),
    .library(name: "FirstlightLaunch", targets: ["FirstlightLaunch"]),
    .library(name: "FirstlightTracing", targets: ["FirstlightTracing"]),
    .library(name: "FirstlightLogging", targets: ["FirstlightLogging"]),
    .library(
      name: "firstlight_rt", type: .static, targets: ["FirstlightRuntime", "FirstlightCounters"]),
    .library(name: "firstlight_prefetch", type: .static, targets: ["FirstlightPrefetch"]),
    .library(name: "firstlight_conformances", type: .static, targets: ["FirstlightConformances"]),
    .executable(name: "firstlight", targets: ["FirstlightCLI"]),
    .executable(name: "firstlight-prune", targets: ["FirstlightPrune"]),
    .executable(name: "firstlightd", targets: ["FirstlightDaemon"]),
    .plugin(name: "FirstlightPlugin", targets: ["FirstlightPlugin"]),
  ],
  traits: [
    .trait(name: "Tools", description: "The command line tool and what it depends on."),
    .trait(name: "Tracing", description: "The bridge from swift-distributed-tracing."),
    .trait(name: "Logging", description: "The bridge from swift-log."),
    .default(enabledTraits: ["Tools", "Tracing", "Logging"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // C: the segment's layout, the runtime that goes into users' programs, the breakpoint recorder
    // of the command line tool, system libraries.
    c("FirstlightABI"),
    c("FirstlightRuntime", ["FirstlightABI"]),
    c("FirstlightCounters", ["FirstlightRuntime", "FirstlightABI"]),
    c("FirstlightPrefetch"),
    c("FirstlightConformances"),
    c("FirstlightLauncher"),
    c("FirstlightTracer", ["FirstlightLauncher"]),
    c("FirstlightProbes"),
    c("KernelProbes", ["FirstlightLauncher"]),
    c("FirstlightHTTP"),
    c("WorkerSandbox", ["FirstlightLauncher"]),
    c("FirstlightIndexStore"),
    .systemLibrary(
      name: "CElfutils", path: "CSupport/CElfutils", pkgConfig: "libdw",
      providers: [.apt(["libelf-dev", "libdw-dev"])]),
    .systemLibrary(
      name: "CLZMA", path: "CSupport/CLZMA", pkgConfig: "liblzma",
      providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(
      name: "CZlib", path: "CSupport/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Products: what users import.
    module("Products/Firstlight", ["FirstlightRuntime"]),
    module("Products/FirstlightLaunch", ["Firstlight"]),
    module(
      "Products/FirstlightTracing",
      [
        "Firstlight", bridged("Tracing", "swift-distributed-tracing"),
      ]),
    module("Products/FirstlightLogging", ["Firstlight", bridged("Logging", "swift-log")]),

    // The tools, floor by floor: each imports only from its own floor and those above it here.
    // Base: values, the system, text, transport.
    module("Base/FirstlightModel"),
    module("Base/RunStatistics"),
    module("Base/TextFormatting", ["FirstlightModel"]),
    module("Base/SystemSupport", ["FirstlightModel", "CExtendedAttributes"]),
    .systemLibrary(name: "CExtendedAttributes", path: "CSupport/CExtendedAttributes"),
    module(
      "Base/SQLiteSupport",
      [
        "FirstlightModel", tool("GRDB", "GRDB.swift"), tool("GRDBSQLite", "GRDB.swift"),
      ]),
    module("Base/HTTPTransport", ["FirstlightModel", "FirstlightHTTP"]),

    // Reading: files to values.
    module("Reading/TraceReader", ["FirstlightModel", "SystemSupport", "FirstlightABI"]),
    module(
      "Reading/DebugInfo",
      [
        "FirstlightModel", "SystemSupport", "CElfutils", "CLZMA", "CZlib",
      ]),
    module(
      "Reading/ProfileFile",
      [
        "FirstlightModel", "TextFormatting", "SystemSupport", "SQLiteSupport",
        tool("GRDB", "GRDB.swift"), tool("GRDBSQLite", "GRDB.swift"),
      ]),
    module("Reading/CoverageImport", ["FirstlightModel", "SystemSupport", "TextFormatting"]),
    module("Reading/ReferenceIndex", ["FirstlightModel", "SystemSupport", "FirstlightIndexStore"]),

    // Analysis: values to values.
    module("Analysis/SymbolOrdering", ["FirstlightModel", "TextFormatting", "SystemSupport"]),
    module(
      "Analysis/DeadCode",
      [
        "FirstlightModel", "RunStatistics", "SystemSupport", "TextFormatting", tool("Yams", "Yams"),
      ]),
    module("Analysis/References", ["FirstlightModel", "DebugInfo", "ReferenceIndex", "DeadCode"]),
    module(
      "Analysis/DeclarationRemoval",
      [
        tool("SwiftSyntax", "swift-syntax"), tool("SwiftParser", "swift-syntax"),
      ]),
    module("Analysis/StartupReport", ["FirstlightModel", "RunStatistics", "BinaryInspection"]),
    module("Analysis/BinaryInspection", ["FirstlightModel"]),
    module(
      "Analysis/MachineInspection",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "KernelProbes", "FirstlightProbes",
      ]),
    module("Analysis/LaunchTimeline", ["FirstlightModel"]),

    // Output: values to text.
    module("Output/LinkerFormats", ["FirstlightModel", "SymbolOrdering"]),
    module(
      "Output/ReportFormats",
      [
        "FirstlightModel", "TextFormatting", "RunStatistics", "SystemSupport", "DebugInfo",
        "DeadCode", "References", "BinaryInspection", "StartupReport", "SymbolOrdering",
        "LaunchTimeline", "MachineInspection",
      ], resources: [.embedInCode("Resources")]),
    module("Output/Symbolization", ["FirstlightModel", "DebugInfo"]),

    // Running: what starts, watches and measures programs.
    module(
      "Running/ProcessControl",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "MachineInspection",
        "FirstlightLauncher",
      ]),
    module(
      "Running/Recording",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "TraceReader", "DebugInfo",
        "ProfileFile", "ProcessControl", "FirstlightTracer", "FirstlightProbes", "BinaryInspection",
        "MachineInspection", "CoverageImport",
      ]),
    module(
      "Running/StartupMeasurement",
      [
        "FirstlightModel", "MachineInspection", "SystemSupport", "TextFormatting", "RunStatistics",
        "DebugInfo", "BinaryInspection", "StartupReport", "SymbolOrdering", "LinkerFormats",
        "ProcessControl", "Recording", "FirstlightLauncher",
      ]),
    module(
      "Running/StartupTracing",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "RunStatistics", "TraceReader",
        "DebugInfo", "StartupReport", "LaunchTimeline", "ProcessControl", "Recording",
        "StartupMeasurement", "FirstlightLauncher", "FirstlightTracer",
      ]),
    module(
      "Running/Building",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "ReferenceIndex", "MachineInspection",
        "LinkerFormats", "ProcessControl",
      ]),
    module(
      "Running/BuildOptimizer",
      [
        "Building", "FirstlightModel", "SystemSupport", "DebugInfo", "BinaryInspection",
        "StartupReport", "SymbolOrdering", "LinkerFormats", "ReportFormats", "ProfileFile",
        "ProcessControl", "TextFormatting", "Recording", "StartupMeasurement",
      ]),

    module(
      "Running/SuiteRecording",
      [
        "Building", "FirstlightModel", "SystemSupport", "TextFormatting", "ProfileFile",
        "ProcessControl", "Recording", "ReferenceIndex",
      ]),
    module(
      "Running/NeverCalledListing",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "DebugInfo", "ReferenceIndex",
        "DeadCode", "References", "BinaryInspection", "ProcessControl",
      ]),
    module(
      "Running/SourcePruning",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "ReferenceIndex", "DeadCode",
        "References", "DeclarationRemoval", "ProcessControl", "NeverCalledListing",
        "ReportFormats",
      ]),

    // Fleet: what hosts send, and where it is kept.
    module("Fleet/FleetModel", ["FirstlightModel"]),
    module(
      "Fleet/SQLiteFleetStore",
      [
        "FirstlightModel", "SQLiteSupport", "ProfileFile", "FleetModel", tool("GRDB", "GRDB.swift"),
        tool("GRDBSQLite", "GRDB.swift"),
      ]),
    module("Fleet/ClickHouseStore", ["FirstlightModel", "HTTPTransport", "FleetModel"]),
    module(
      "Fleet/SpoolIntake",
      [
        "FirstlightModel", "SystemSupport", "TraceReader", "FleetModel", "TextFormatting",
        "SQLiteSupport", "ProfileFile", tool("GRDB", "GRDB.swift"),
        tool("GRDBSQLite", "GRDB.swift"),
      ]),
    module(
      "Fleet/FleetAPI",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport", "FleetModel",
        "ReportFormats", "CZlib", "ProfileFile", "SQLiteFleetStore", "ClickHouseStore",
      ]),
    // The only part of the daemon that reads ELF and DWARF, in processes of its own.
    module(
      "Fleet/BuildReader",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "FleetModel", "WorkerSandbox",
        "FirstlightLauncher",
      ]),
    module(
      "Fleet/Collector",
      [
        "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport", "TraceReader",
        "DebugInfo", "ProfileFile", "SymbolOrdering", "DeadCode", "LinkerFormats", "ReportFormats",
        "FleetModel", "SQLiteFleetStore", "SpoolIntake", "FleetAPI", "BuildReader",
        tool("Hummingbird", "hummingbird"), tool("HummingbirdCore", "hummingbird"),
        tool("HummingbirdTLS", "hummingbird"), tool("ServiceLifecycle", "swift-service-lifecycle"),
        tool("UnixSignals", "swift-service-lifecycle"), tool("Logging", "swift-log"),
        tool("Metrics", "swift-metrics"), tool("CoreMetrics", "swift-metrics"),
        tool("NIOSSL", "swift-nio-ssl"),
      ], resources: [.embedInCode("Resources")]),

    // Tools: arguments, printing, progress.
    .executableTarget(
      name: "FirstlightCLI",
      dependencies: [
        "Building", "FirstlightModel", "TextFormatting", "SystemSupport", "HTTPTransport",
        "DebugInfo", "ProfileFile", "CoverageImport", "SymbolOrdering", "DeadCode", "References",
        "BinaryInspection", "StartupReport", "LaunchTimeline", "LinkerFormats", "ReportFormats",
        "Symbolization", "ProcessControl", "Recording", "StartupMeasurement", "StartupTracing",
        "BuildOptimizer", "SuiteRecording", "NeverCalledListing", "MachineInspection", "FleetModel",
        "FleetAPI",
        tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightCLI"),
    // A program of its own: swift-syntax is larger than all of firstlight.
    .executableTarget(
      name: "FirstlightPrune",
      dependencies: [
        "FirstlightModel", "TextFormatting", "SystemSupport", "ProfileFile", "ReportFormats",
        "ProcessControl", "Recording", "SuiteRecording", "DeadCode", "NeverCalledListing",
        "SourcePruning",
        tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightPrune"),
    .systemLibrary(name: "CMalloc", path: "CSupport/CMalloc"),
    .executableTarget(
      name: "FirstlightDaemon",
      dependencies: [
        "CMalloc", "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport",
        "FleetAPI", "BuildReader", "Collector",
        tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightDaemon"),

    // `swift package firstlight ...` in a package that depends on this one. It runs an installed
    // firstlight: with a dependency on FirstlightCLI, each such package would compile the tool.
    .plugin(
      name: "FirstlightPlugin",
      capability: .command(
        intent: .custom(
          verb: "firstlight",
          description: "Runs an installed firstlight on this package: launch, test, dead, optimize."
        ),
        permissions: [
          .writeToPackageDirectory(
            reason: "Firstlight writes profiles, reports and instrumented builds there.")
        ]),
      path: "Plugins/FirstlightPlugin"),

    // Sets orders against those of LLVM, on made-up traces; see Benchmarks/ordering.sh.
    .executableTarget(
      name: "OrderingBenchmark", dependencies: ["SymbolOrdering", "LinkerFormats"],
      path: "Benchmarks/Ordering"),

    // What several test targets use: real programs run, folders that go, one random generator.
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "FleetTestSupport", dependencies: ["FirstlightModel", "FleetModel"],
      path: "Tests/FleetTestSupport"),
    tests("FirstlightLaunchTests", ["Firstlight", "FirstlightLaunch"]),
    tests(
      "BridgeTests",
      [
        "Firstlight", "FirstlightTracing", "FirstlightLogging", "FirstlightModel", "TraceReader",
        bridged("Tracing", "swift-distributed-tracing"), bridged("Logging", "swift-log"),
      ]),
    tests(
      "FirstlightLoggingTests",
      [
        "TestSupport", "Firstlight", "FirstlightLogging", "TraceReader",
        bridged("Logging", "swift-log"),
      ]),
    tests("FirstlightModelTests", ["FirstlightModel"]),
    // What the runtime and its readers do, in every order of a weak memory.
    tests("MemoryOrderTests", ["TestSupport"]),
    tests("TraceReaderTests", ["TestSupport", "FirstlightModel", "TraceReader"]),
    tests("SymbolOrderingTests", ["FirstlightModel", "SymbolOrdering"]),
    tests("LinkerFormatsTests", ["FirstlightModel", "SymbolOrdering", "LinkerFormats"]),
    tests("DeadCodeTests", ["FirstlightModel", "DeadCode"]),
    tests(
      "ReportFormatsTests",
      [
        "TestSupport", "FirstlightModel", "TextFormatting", "RunStatistics", "ReferenceIndex",
        "DeadCode", "References", "BinaryInspection", "StartupReport", "SymbolOrdering",
        "LaunchTimeline", "MachineInspection", "ReportFormats",
      ]),
    tests(
      "LaunchTimelineTests",
      ["TestSupport", "FirstlightModel", "LaunchTimeline", "TextFormatting", "ReportFormats"]),
    tests("StartupReportTests", ["StartupReport", "FirstlightModel", "RunStatistics"]),
    tests("RunStatisticsTests", ["RunStatistics"]),
    tests("BinaryInspectionTests", ["FirstlightModel", "BinaryInspection", "StartupReport"]),
    tests("MachineInspectionTests", ["FirstlightModel", "MachineInspection", "ReportFormats"]),
    tests(
      "CollectorTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SpoolIntake",
        "FleetAPI", "SQLiteFleetStore", "Collector", "LinkerFormats", "ReportFormats",
        "SymbolOrdering",
        tool("ServiceLifecycle", "swift-service-lifecycle"), tool("Logging", "swift-log"),
      ]),
    tests("FleetModelTests", ["TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel"]),
    tests(
      "SpoolIntakeTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "SystemSupport", "TraceReader",
        "FleetModel", "SpoolIntake", tool("GRDB", "GRDB.swift"),
      ]),
    // The same tests for every store.
    tests(
      "FleetStoreTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SQLiteFleetStore",
        "ClickHouseStore", "HTTPTransport", "SymbolOrdering", "DeadCode",
      ]),
    // What only one of them has: statements, or files.
    tests(
      "ClickHouseStoreTests",
      [
        "FirstlightModel", "FleetModel", "HTTPTransport", "ClickHouseStore",
      ]),
    tests(
      "SQLiteFleetStoreTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SQLiteFleetStore",
        tool("GRDB", "GRDB.swift"),
      ]),
    tests("ProfileFileTests", ["TestSupport", "FirstlightModel", "ProfileFile"]),
    // Runs the tools themselves on real programs; depends on none of their modules, so that it can be
    // pointed at any build of them with FIRSTLIGHT_BIN.
    tests("IntegrationTests", ["TestSupport"]),
    tests("TextFormattingTests", ["TextFormatting", "TestSupport"]),
    tests("SystemSupportTests", ["TestSupport", "FirstlightModel", "SystemSupport"]),
    tests("SQLiteSupportTests", ["SQLiteSupport", tool("GRDB", "GRDB.swift")]),
    tests("CoverageImportTests", ["TestSupport", "FirstlightModel", "CoverageImport"]),
    tests("ReferenceIndexTests", ["TestSupport", "FirstlightModel", "ReferenceIndex"]),
    tests("ReferencesTests", ["ReferenceIndex", "References"]),
    tests("DeclarationRemovalTests", ["DeclarationRemoval"]),
    tests(
      "SourcePruningTests",
      [
        "TestSupport", "FirstlightModel", "DeclarationRemoval", "TextFormatting", "DeadCode",
        "SourcePruning",
      ]),
    tests("SymbolizationTests", ["FirstlightModel", "Symbolization"]),
    tests(
      "ProcessControlTests", ["TestSupport", "FirstlightModel", "SystemSupport", "ProcessControl"]),
    tests(
      "RecordingTests",
      [
        "FirstlightModel", "ProcessControl", "Recording", "TestSupport", "DebugInfo",
      ]),
    tests(
      "StartupMeasurementTests",
      [
        "TestSupport", "FirstlightModel", "StartupReport", "StartupMeasurement",
      ]),
    tests(
      "StartupTracingTests",
      [
        "TestSupport", "FirstlightModel", "SystemSupport", "StartupReport", "StartupTracing",
        "FirstlightTracer",
      ]),
    tests("BuildingTests", ["TestSupport", "FirstlightModel", "Building"]),
    tests("BuildOptimizerTests", ["TestSupport", "FirstlightModel", "BuildOptimizer"]),
    tests("SuiteRecordingTests", ["TestSupport", "FirstlightModel", "SuiteRecording"]),
    tests(
      "FleetAPITests",
      [
        "TestSupport", "FirstlightModel", "TextFormatting", "HTTPTransport", "FleetModel",
        "FleetAPI", "FleetTestSupport", "SQLiteFleetStore",
      ]),
    tests("HTTPTransportTests", ["TestSupport", "FirstlightModel", "HTTPTransport"]),
    tests("BuildReaderTests", ["FirstlightModel", "BuildReader"]),
    tests("DebugInfoTests", ["TestSupport", "FirstlightModel", "DebugInfo"]),
    // Command lines, without what they start.
    tests(
      "FirstlightCLITests",
      [
        "TestSupport", "FirstlightModel", "StartupReport", "ReportFormats", "ProcessControl",
        "FleetAPI", "FirstlightCLI", tool("ArgumentParser", "swift-argument-parser"),
      ]),
    tests(
      "FirstlightDaemonTests",
      [
        "TestSupport", "FirstlightModel", "Collector", "FirstlightDaemon",
        tool("ArgumentParser", "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
