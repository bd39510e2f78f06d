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
    // Base: values, the system, reports, transport.
    module("Base/FirstlightModel"),
    module("Base/SystemSupport", ["FirstlightModel", "CExtendedAttributes", "CZlib"]),
    .systemLibrary(name: "CExtendedAttributes", path: "CSupport/CExtendedAttributes"),
    module(
      "Base/Reports", ["FirstlightModel", "SystemSupport"],
      resources: [.embedInCode("Resources")]),
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

    // Recording: what starts and watches programs.
    module(
      "Recording/ProcessControl",
      [
        "FirstlightModel", "SystemSupport", "DebugInfo", "KernelProbes", "FirstlightProbes",
        "FirstlightLauncher",
      ]),
    module(
      "Recording/Recording",
      [
        "FirstlightModel", "SystemSupport", "Reports", "TraceReader", "DebugInfo", "ProfileFile",
        "ProcessControl", "FirstlightABI", "FirstlightTracer", "FirstlightProbes",
      ]),

    // Questions: what people ask, a room each, from its values to its text.
    module(
      "Questions/NeverCalled",
      [
        "FirstlightModel", "SystemSupport", "Reports", "DebugInfo", "ReferenceIndex",
        "ProcessControl", tool("Yams", "Yams"),
      ], resources: [.embedInCode("Resources")]),
    module("Questions/Ordering", ["FirstlightModel", "SystemSupport", "Reports"]),
    module(
      "Questions/Inspection",
      [
        "FirstlightModel", "SystemSupport", "Reports", "DebugInfo", "ProfileFile", "Recording",
        "NeverCalled",
      ], resources: [.embedInCode("Resources")]),
    module(
      "Questions/Startup",
      [
        "FirstlightModel", "SystemSupport", "Reports", "DebugInfo", "TraceReader", "ProcessControl",
        "Recording", "Inspection", "Ordering", "FirstlightLauncher", "FirstlightTracer",
      ], resources: [.embedInCode("Resources")]),
    module(
      "Questions/Building",
      [
        "FirstlightModel", "SystemSupport", "Reports", "DebugInfo", "ReferenceIndex", "ProfileFile",
        "ProcessControl", "Recording", "Ordering", "Inspection", "Startup",
      ]),
    module(
      "Questions/Pruning",
      [
        tool("SwiftSyntax", "swift-syntax"), tool("SwiftParser", "swift-syntax"),
        "FirstlightModel", "SystemSupport", "Reports", "ReferenceIndex", "ProcessControl",
        "NeverCalled",
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
        "ProfileFile", "Ordering", "NeverCalled", "Reports", "FleetModel",
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
        "FirstlightModel", "SystemSupport", "Reports", "DebugInfo", "ProfileFile", "TraceReader",
        "ProcessControl", "Recording", "NeverCalled", "Ordering", "Inspection", "Startup",
        "Building", "FleetModel", tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightCLI"),
    // A program of its own: swift-syntax is larger than all of firstlight.
    .executableTarget(
      name: "FirstlightPrune",
      dependencies: [
        "FirstlightModel", "SystemSupport", "Reports", "ProfileFile", "ProcessControl",
        "Recording", "NeverCalled", "Building", "Pruning",
        tool("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Sources/Tools/FirstlightPrune"),
    .systemLibrary(name: "CMalloc", path: "CSupport/CMalloc"),
    .executableTarget(
      name: "FirstlightDaemon",
      dependencies: [
        "CMalloc", "FirstlightModel", "SystemSupport", "HTTPTransport", "ProfileFile",
        "Reports", "ProcessControl", "FleetModel", "BuildReader", "Collector",
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
      name: "OrderingBenchmark", dependencies: ["Ordering"],
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
    tests("OrderingTests", ["FirstlightModel", "Ordering", "TestSupport"]),
    tests(
      "NeverCalledTests",
      ["TestSupport", "FirstlightModel", "SystemSupport", "NeverCalled", "ReferenceIndex"]),
    // Pages, and the documents of all rooms, which other programs read.
    tests(
      "ReportsTests",
      [
        "TestSupport", "FirstlightModel", "SystemSupport", "ReferenceIndex", "Reports",
        "ProcessControl", "Recording", "NeverCalled", "Ordering", "Inspection", "Startup",
      ]),
    tests(
      "StartupTests",
      [
        "TestSupport", "FirstlightModel", "SystemSupport", "Reports", "Inspection", "Ordering",
        "Startup", "FirstlightTracer",
      ]),
    tests(
      "InspectionTests",
      [
        "TestSupport", "FirstlightModel", "SystemSupport", "DebugInfo", "Reports", "Recording",
        "Inspection",
      ]),
    tests(
      "CollectorTests",
      [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SpoolIntake",
        "SQLiteFleetStore", "Collector", "Ordering", "Reports", "HTTPTransport",
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
        "ClickHouseStore", "HTTPTransport", "Ordering", "NeverCalled",
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
      "PruningTests",
      ["Pruning", "TestSupport", "FirstlightModel", "NeverCalled", "ReferenceIndex"]),
    tests(
      "ProcessControlTests",
      [
        "FirstlightModel", "ProcessControl", "TestSupport", "SystemSupport",
      ]),
    tests(
      "RecordingTests",
      [
        "FirstlightModel", "ProcessControl", "Recording", "TestSupport", "DebugInfo",
        "TraceReader",
      ]),
    tests(
      "BuildingTests",
      ["TestSupport", "FirstlightModel", "Inspection", "Ordering", "Startup", "Building"]),
    tests("HTTPTransportTests", ["TestSupport", "FirstlightModel", "HTTPTransport"]),
    tests("BuildReaderTests", ["FirstlightModel", "BuildReader"]),
    // The entries of Scripts/fuzz, on the same inputs in each run.
    tests(
      "FuzzTests",
      [
        "TestSupport", "FirstlightModel", "TraceReader", "FleetModel", "ProfileFile", "Ordering",
        "Startup", "DebugInfo", "BuildReader",
      ]),
    tests("DebugInfoTests", ["TestSupport", "FirstlightModel", "DebugInfo"]),
    // Command lines, without what they start.
    tests(
      "FirstlightCLITests",
      [
        "TestSupport", "FirstlightModel", "Startup", "ProcessControl", "FirstlightCLI",
        tool("ArgumentParser", "swift-argument-parser"),
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
