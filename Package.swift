// swift-tools-version: 6.1
import PackageDescription

// The dependencies below are those of the tools and of bridges. A package that uses only the products
// `Firstlight` and `FirstlightLaunch` says `traits: []` where it depends on this one, and fetches none of
// them (Tests/IntegrationTests/DependencyTests.swift holds it to that).
let tools: TargetDependencyCondition? = .when(traits: ["Tools"])

let package = Package(
  name: "firstlight",
  products: [
    .library(name: "Firstlight", targets: ["Firstlight"]),
    .library(name: "FirstlightLaunch", targets: ["FirstlightLaunch"]),
    .library(name: "FirstlightTracing", targets: ["FirstlightTracing"]),
    .library(name: "FirstlightLogging", targets: ["FirstlightLogging"]),
    .library(name: "firstlight_rt", type: .static, targets: ["FirstlightRuntime"]),
    .library(name: "firstlight_prefetch", type: .static, targets: ["FirstlightPrefetch"]),
    .executable(name: "firstlight", targets: ["FirstlightCLI"]),
    .executable(name: "firstlightd", targets: ["FirstlightDaemon"]),
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
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
  ],
  targets: [
    // C: the segment's layout, the runtime that goes into users' programs, the breakpoint recorder
    // of the command line tool, system libraries.
    .target(name: "FirstlightABI", path: "CSupport/FirstlightABI"),
    .target(
      name: "FirstlightRuntime", dependencies: ["FirstlightABI"],
      path: "CSupport/FirstlightRuntime"),
    .target(name: "FirstlightPrefetch", path: "CSupport/FirstlightPrefetch"),
    .target(name: "FirstlightLauncher", path: "CSupport/FirstlightLauncher"),
    .target(name: "FirstlightTracer", path: "CSupport/FirstlightTracer"),
    .target(name: "WorkerSandbox", path: "CSupport/WorkerSandbox"),
    .target(name: "FirstlightDemangling", path: "CSupport/FirstlightDemangling"),
    .target(name: "MappedFileGuard", path: "CSupport/MappedFileGuard"),
    .systemLibrary(
      name: "CElfutils", path: "CSupport/CElfutils", pkgConfig: "libdw",
      providers: [.apt(["libelf-dev", "libdw-dev"])]),
    .systemLibrary(
      name: "CLZMA", path: "CSupport/CLZMA", pkgConfig: "liblzma",
      providers: [.apt(["liblzma-dev"])]),

    // What users import.
    .target(name: "Firstlight", dependencies: ["FirstlightRuntime"]),
    .target(name: "FirstlightLaunch", dependencies: ["Firstlight"]),
    .target(
      name: "FirstlightTracing",
      dependencies: [
        "Firstlight",
        .product(
          name: "Tracing", package: "swift-distributed-tracing",
          condition: .when(traits: ["Tracing"])),
      ]),
    .target(
      name: "FirstlightLogging",
      dependencies: [
        "Firstlight",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ]),

    // The tools, bottom up.
    .target(name: "FirstlightModel"),
    .target(name: "TraceReader", dependencies: ["FirstlightModel", "FirstlightABI"]),
    .target(
      name: "DebugInfo",
      dependencies: [
        "FirstlightModel", "FirstlightDemangling", "CElfutils", "CLZMA", "MappedFileGuard",
      ]),
    .target(name: "SymbolOrdering", dependencies: ["FirstlightModel"]),
    .target(name: "DeadCode", dependencies: ["FirstlightModel", "RunStatistics"]),
    .target(
      name: "KeepRules",
      dependencies: [
        "FirstlightModel", "DeadCode",
        .product(name: "Yams", package: "Yams", condition: tools),
      ]),
    .target(name: "RunStatistics"),
    .target(name: "LaunchAccount", dependencies: ["FirstlightModel", "RunStatistics"]),
    .target(name: "StartupCost", dependencies: ["FirstlightModel", "RunStatistics"]),
    .target(name: "LaunchTimeline", dependencies: ["FirstlightModel"]),
    .target(name: "LinkerFormats", dependencies: ["FirstlightModel", "SymbolOrdering"]),
    .target(
      name: "ReportFormats",
      dependencies: [
        "FirstlightModel", "DeadCode", "StartupCost", "RunStatistics", "SymbolOrdering",
        "LaunchAccount", "LaunchTimeline",
      ]),
    .target(name: "FleetModel", dependencies: ["FirstlightModel"]),
    .target(
      name: "ProfileStore",
      dependencies: [
        "FirstlightModel", "FleetModel",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ]),
    .target(
      name: "TLSSettings",
      dependencies: [
        "FirstlightModel", .product(name: "NIOSSL", package: "swift-nio-ssl", condition: tools),
      ]),
    .target(
      name: "HTTPTransport",
      dependencies: [
        "FirstlightModel", "TLSSettings",
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: tools),
      ]),
    .target(name: "Debuginfod", dependencies: ["FirstlightModel", "HTTPTransport"]),
    .target(
      name: "ClickHouseStore", dependencies: ["FirstlightModel", "FleetModel", "HTTPTransport"]),
    .target(
      name: "SpoolIntake",
      dependencies: ["FirstlightModel", "FleetModel", "TraceReader", "ProfileStore"]),
    .systemLibrary(
      name: "CZlib", path: "CSupport/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "FleetAPI", dependencies: ["FirstlightModel", "FleetModel", "HTTPTransport", "CZlib"]),
    // The only part of the daemon that reads ELF and DWARF, in processes of its own.
    .target(
      name: "BuildReader",
      dependencies: ["FirstlightModel", "FleetModel", "DebugInfo", "WorkerSandbox"]),
    .target(
      name: "Collector",
      dependencies: [
        "FirstlightModel", "FleetModel", "ProfileStore", "SpoolIntake", "BuildReader",
        "SymbolOrdering", "DeadCode", "LinkerFormats", "ReportFormats", "HTTPTransport",
        "TLSSettings", "FleetAPI", "Debuginfod",
        .product(name: "Hummingbird", package: "hummingbird", condition: tools),
        .product(name: "HummingbirdCore", package: "hummingbird", condition: tools),
        .product(name: "HummingbirdTLS", package: "hummingbird", condition: tools),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tools),
        .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: tools),
        .product(name: "Logging", package: "swift-log", condition: tools),
        .product(name: "Metrics", package: "swift-metrics", condition: tools),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: tools),
        .product(name: "Crypto", package: "swift-crypto", condition: tools),
        .product(name: "Configuration", package: "swift-configuration", condition: tools),
      ]),
    .executableTarget(
      name: "FirstlightCLI",
      dependencies: [
        "FirstlightModel", "FirstlightTracer", "FirstlightLauncher", "TraceReader", "DebugInfo",
        "SymbolOrdering", "DeadCode", "StartupCost", "LaunchAccount", "LaunchTimeline",
        "LinkerFormats", "ReportFormats", "ProfileStore", "ClickHouseStore", "KeepRules",
        "FleetModel", "FleetAPI", "HTTPTransport", "Debuginfod",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ]),

    .executableTarget(
      name: "FirstlightDaemon",
      dependencies: [
        "FirstlightModel", "Collector", "BuildReader", "ClickHouseStore", "HTTPTransport",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ]),

    // Sets orders against those of LLVM, on made-up traces; see Benchmarks/ordering.sh.
    .executableTarget(
      name: "OrderingBenchmark", dependencies: ["SymbolOrdering", "LinkerFormats"],
      path: "Benchmarks/Ordering"),

    .testTarget(name: "FirstlightLaunchTests", dependencies: ["Firstlight", "FirstlightLaunch"]),
    .testTarget(
      name: "BridgeTests",
      dependencies: [
        "Firstlight", "FirstlightTracing", "FirstlightLogging", "FirstlightModel", "TraceReader",
        .product(
          name: "Tracing", package: "swift-distributed-tracing",
          condition: .when(traits: ["Tracing"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ]),
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
    .testTarget(
      name: "LaunchTimelineTests",
      dependencies: ["FirstlightModel", "LaunchTimeline", "ReportFormats"]),
    .testTarget(name: "LaunchAccountTests", dependencies: ["LaunchAccount"]),
    .testTarget(name: "RunStatisticsTests", dependencies: ["RunStatistics"]),
    .testTarget(
      name: "StartupCostTests", dependencies: ["FirstlightModel", "RunStatistics", "StartupCost"]),
    .testTarget(name: "CollectorTests", dependencies: ["FirstlightModel", "Collector"]),
    .testTarget(name: "FleetModelTests", dependencies: ["FirstlightModel", "FleetModel"]),
    // The same tests for every store.
    .testTarget(
      name: "FleetStoreTests",
      dependencies: [
        "FirstlightModel", "FleetModel", "ProfileStore", "ClickHouseStore", "HTTPTransport",
        "SymbolOrdering", "DeadCode",
      ]),
    .testTarget(name: "ProfileStoreTests", dependencies: ["FirstlightModel", "ProfileStore"]),
    // Runs the tools themselves on real programs; depends on nothing, so that it can be pointed at
    // any build of them with FIRSTLIGHT_BIN.
    .testTarget(name: "IntegrationTests"),
    .testTarget(
      name: "BuildReaderTests",
      dependencies: ["FirstlightModel", "FleetModel", "BuildReader", "WorkerSandbox"]),
    .testTarget(name: "DebugInfoTests", dependencies: ["FirstlightModel", "DebugInfo"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
