// swift-tools-version: 6.1
import PackageDescription

// The dependencies below are those of the tools and of bridges. A package that uses only the products
// `Firstlight` and `FirstlightLaunch` says `traits: []` where it depends on this one, and fetches none of
// them (Tests/IntegrationTests/Package/DependencyTests.swift holds it to that).
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
      name: "CSQLite", path: "CSupport/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
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
    module("Base/SystemSupport", ["FirstlightModel", "CExtendedAttributes", "CZlib"]),
    .systemLibrary(name: "CExtendedAttributes", path: "CSupport/CExtendedAttributes"),
    module("Base/HTTPTransport", ["FirstlightModel", "FirstlightHTTP"]),

    // Reading: files to values.
    module("Reading/TraceReader", ["FirstlightModel", "SystemSupport", "FirstlightABI"]),
    module(
      "Reading/DebugInfo",
      [
        "FirstlightModel", "SystemSupport", "CElfutils", "CLZMA", "CZlib",
      ]),
    module(
      "Reading/ProfileFile", ["FirstlightModel", "SystemSupport", "CSQLite", "CZlib"]),
    module("Reading/ReferenceIndex", ["FirstlightModel", "SystemSupport", "FirstlightIndexStore"]),

    // Analysis: values to values.
    module("Analysis/SymbolOrdering", ["FirstlightModel", "SystemSupport"]),
    module(
      "Analysis/DeadCode",
      [
        "FirstlightModel", "SystemSupport", tool("Yams", "Yams"), "DebugInfo", "ReferenceIndex",
      ]),
    module("Analysis/StartupReport", ["FirstlightModel", "BinaryInspection"]),
    module("Analysis/BinaryInspection", ["FirstlightModel"]),

    // Output: values to text.
    module(
      "Output/ReportFormats",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "DeadCode", "BinaryInspection",
        "StartupReport", "SymbolOrdering",
      ], resources: [.embedInCode("Resources")]),

    // Running: what starts, watches and measures programs.
    module(
      "Running/ProcessControl",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "KernelProbes", "FirstlightProbes",
        "FirstlightLauncher",
      ]),
    module(
      "Running/Recording",
      [
        "FirstlightModel", "SystemSupport", "TraceReader", "DebugInfo", "ProfileFile",
        "ProcessControl", "FirstlightABI", "FirstlightTracer", "FirstlightProbes",
        "BinaryInspection",
      ]),
    module(
      "Running/StartupMeasurement",
      [
        "FirstlightModel", "ProcessControl", "SystemSupport", "DebugInfo", "BinaryInspection",
        "StartupReport", "SymbolOrdering", "Recording", "FirstlightLauncher", "TraceReader",
        "FirstlightTracer",
      ]),
    module(
      "Running/Building",
      [
        "FirstlightModel", "SystemSupport", "ReferenceIndex", "ProcessControl", "SymbolOrdering",
        "DebugInfo", "BinaryInspection", "StartupReport", "ReportFormats", "ProfileFile",
        "Recording", "StartupMeasurement",
      ]),

    module(
      "Running/NeverCalledListing",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "ReferenceIndex", "DeadCode",
        "BinaryInspection", "ProcessControl",
      ]),
    module(
      "Running/SourcePruning",
      [
        tool("SwiftSyntax", "swift-syntax"), tool("SwiftParser", "swift-syntax"),
        "FirstlightModel", "SystemSupport", "ReferenceIndex", "DeadCode", "ProcessControl",
        "NeverCalledListing", "ReportFormats",
      ]),

    // Fleet: what hosts send, and where it is kept.
    module("Fleet/FleetModel", ["FirstlightModel", "SystemSupport"]),
    module(
      "Fleet/SQLiteSupport", ["FirstlightModel", "ProfileFile", tool("GRDB", "GRDB.swift")]),
    module(
      "Fleet/SQLiteFleetStore",
      [
        "FirstlightModel", "SystemSupport", "SQLiteSupport", "ProfileFile", "FleetModel",
        tool("GRDB", "GRDB.swift"),
      ]),
    module("Fleet/ClickHouseStore", ["FirstlightModel", "HTTPTransport", "FleetModel"]),
    module(
      "Fleet/SpoolIntake",
      [
        "FirstlightModel", "SystemSupport", "TraceReader", "FleetModel", "SQLiteSupport",
        "ProfileFile", tool("GRDB", "GRDB.swift"),
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
        "FirstlightModel", "SystemSupport", "HTTPTransport", "TraceReader", "DebugInfo",
        "ProfileFile", "SymbolOrdering", "DeadCode", "ReportFormats", "FleetModel",
        "SQLiteFleetStore", "ClickHouseStore", "SpoolIntake", "BuildReader",
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
        "Building", "FirstlightModel", "SystemSupport", "DebugInfo",
        "ProfileFile", "TraceReader", "SymbolOrdering", "DeadCode", "BinaryInspection",
        "StartupReport", "ReportFormats", "ProcessControl", "Recording", "StartupMeasurement",
        "NeverCalledListing", "FleetModel", tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightCLI"),
    // A program of its own: swift-syntax is larger than all of firstlight.
    .executableTarget(
      name: "FirstlightPrune",
      dependencies: [
        "FirstlightModel", "SystemSupport", "ProfileFile", "ReportFormats", "ProcessControl",
        "Recording", "Building", "DeadCode", "NeverCalledListing", "SourcePruning",
        tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightPrune"),
    .systemLibrary(name: "CMalloc", path: "CSupport/CMalloc"),
    .executableTarget(
      name: "FirstlightDaemon",
      dependencies: [
        "CMalloc", "FirstlightModel", "SystemSupport", "HTTPTransport", "ProfileFile",
        "ReportFormats", "ProcessControl", "FleetModel", "BuildReader", "Collector",
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
      name: "OrderingBenchmark", dependencies: ["SymbolOrdering"],
      path: "Benchmarks/Ordering"),

    // What several test targets use: real programs run, folders that go, one random generator.
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "FleetTestSupport", dependencies: ["FirstlightModel", "FleetModel"],
      path: "Tests/FleetTestSupport"),
    tests("FirstlightLaunchTests", ["FirstlightLaunch"]),
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
    tests("FirstlightModelTests", ["FirstlightModel", "TestSupport"]),
    // What the runtime and its readers do, in every order of a weak memory.
    tests("MemoryOrderTests", ["TestSupport"]),
    tests("TraceReaderTests", ["TestSupport", "FirstlightModel", "TraceReader"]),
    tests("SymbolOrderingTests", ["FirstlightModel", "SymbolOrdering", "TestSupport"]),
    tests("DeadCodeTests", ["FirstlightModel", "DeadCode", "ReferenceIndex"]),
    tests(
      "ReportFormatsTests",
      [
        "TestSupport", "FirstlightModel", "SystemSupport", "ReferenceIndex", "DeadCode",
        "BinaryInspection", "StartupReport", "SymbolOrdering", "ProcessControl", "ReportFormats",
      ]),
    tests(
      "StartupReportTests",
      [
        "TestSupport", "FirstlightModel", "StartupReport", "SystemSupport", "ReportFormats",
      ]),
    tests("BinaryInspectionTests", ["FirstlightModel", "BinaryInspection", "StartupReport"]),
    tests(
      "CollectorTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SpoolIntake",
        "SQLiteFleetStore", "Collector", "SymbolOrdering", "ReportFormats", "HTTPTransport",
        "SystemSupport", tool("ServiceLifecycle", "swift-service-lifecycle"),
        tool("Logging", "swift-log"),
      ]),
    tests("FleetModelTests", ["TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel"]),
    tests(
      "SpoolIntakeTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "SystemSupport", "TraceReader",
        "FleetModel", "SpoolIntake", "FirstlightABI", tool("GRDB", "GRDB.swift"),
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
      "ClickHouseStoreTests", ["FirstlightModel", "FleetModel", "ClickHouseStore"]),
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
    tests("SystemSupportTests", ["SystemSupport", "TestSupport", "FirstlightModel"]),
    tests("SQLiteSupportTests", ["ProfileFile", "SQLiteSupport", tool("GRDB", "GRDB.swift")]),
    tests("ReferenceIndexTests", ["TestSupport", "FirstlightModel", "ReferenceIndex"]),
    tests(
      "SourcePruningTests",
      ["SourcePruning", "TestSupport", "FirstlightModel", "DeadCode", "ReferenceIndex"]),
    tests(
      "ProcessControlTests",
      [
        "FirstlightModel", "ProcessControl", "ReportFormats", "TestSupport", "SystemSupport",
      ]),
    tests(
      "RecordingTests",
      [
        "FirstlightModel", "ProcessControl", "Recording", "TestSupport", "DebugInfo",
        "TraceReader",
      ]),
    tests(
      "StartupMeasurementTests",
      [
        "TestSupport", "FirstlightModel", "StartupReport", "StartupMeasurement", "SystemSupport",
        "FirstlightTracer",
      ]),
    tests("BuildingTests", ["TestSupport", "FirstlightModel", "Building"]),
    tests("HTTPTransportTests", ["TestSupport", "FirstlightModel", "HTTPTransport"]),
    tests("BuildReaderTests", ["FirstlightModel", "BuildReader"]),
    tests("DebugInfoTests", ["TestSupport", "FirstlightModel", "DebugInfo"]),
    // Command lines, without what they start.
    tests(
      "FirstlightCLITests",
      [
        "TestSupport", "FirstlightModel", "StartupReport", "ReportFormats", "ProcessControl",
        "FirstlightCLI", tool("ArgumentParser", "swift-argument-parser"),
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
