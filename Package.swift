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
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
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
    .target(name: "KernelProbes", path: "CSupport/KernelProbes"),
    .target(name: "FirstlightHTTP", path: "CSupport/FirstlightHTTP"),
    .target(name: "WorkerSandbox", path: "CSupport/WorkerSandbox"),
    .target(name: "MappedFileGuard", path: "CSupport/MappedFileGuard"),
    .target(name: "FirstlightIndexStore", path: "CSupport/FirstlightIndexStore"),
    .systemLibrary(
      name: "CElfutils", path: "CSupport/CElfutils", pkgConfig: "libdw",
      providers: [.apt(["libelf-dev", "libdw-dev"])]),
    .systemLibrary(
      name: "CLZMA", path: "CSupport/CLZMA", pkgConfig: "liblzma",
      providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(
      name: "CZlib", path: "CSupport/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Products: what users import.
    .target(
      name: "Firstlight",
      dependencies: ["FirstlightRuntime"],
      path: "Sources/Products/Firstlight"),
    .target(
      name: "FirstlightLaunch",
      dependencies: ["Firstlight"],
      path: "Sources/Products/FirstlightLaunch"),
    .target(
      name: "FirstlightTracing",
      dependencies: [
        "Firstlight",
        .product(
          name: "Tracing", package: "swift-distributed-tracing",
          condition: .when(traits: ["Tracing"])),
      ],
      path: "Sources/Products/FirstlightTracing"),
    .target(
      name: "FirstlightLogging",
      dependencies: [
        "Firstlight",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ],
      path: "Sources/Products/FirstlightLogging"),

    // The tools, floor by floor: each imports only from its own floor and those above it here.
    // Base: values, the system, text, transport.
    .target(
      name: "FirstlightModel",
      path: "Sources/Base/FirstlightModel"),
    .target(
      name: "RunStatistics",
      path: "Sources/Base/RunStatistics"),
    .target(
      name: "TextFormatting",
      dependencies: ["FirstlightModel"],
      path: "Sources/Base/TextFormatting"),
    .target(
      name: "SystemSupport",
      dependencies: ["FirstlightModel", "CExtendedAttributes"],
      path: "Sources/Base/SystemSupport"),
    .systemLibrary(name: "CExtendedAttributes", path: "CSupport/CExtendedAttributes"),
    .target(
      name: "SQLiteSupport",
      dependencies: [
        "FirstlightModel", .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ],
      path: "Sources/Base/SQLiteSupport"),
    .target(
      name: "HTTPTransport",
      dependencies: ["FirstlightModel", "FirstlightHTTP"],
      path: "Sources/Base/HTTPTransport"),

    // Reading: files to values.
    .target(
      name: "TraceReader",
      dependencies: ["FirstlightModel", "SystemSupport", "FirstlightABI"],
      path: "Sources/Reading/TraceReader"),
    .target(
      name: "DebugInfo",
      dependencies: [
        "FirstlightModel", "SystemSupport", "CElfutils", "CLZMA", "CZlib", "MappedFileGuard",
        "HTTPTransport",
      ],
      path: "Sources/Reading/DebugInfo"),
    .target(
      name: "ProfileFile",
      dependencies: [
        "FirstlightModel", "TextFormatting", "SystemSupport", "SQLiteSupport",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ],
      path: "Sources/Reading/ProfileFile"),
    .target(
      name: "CoverageImport",
      dependencies: ["FirstlightModel", "SystemSupport", "TextFormatting"],
      path: "Sources/Reading/CoverageImport"),
    .target(
      name: "ReferenceIndex",
      dependencies: ["FirstlightModel", "SystemSupport", "FirstlightIndexStore"],
      path: "Sources/Reading/ReferenceIndex"),

    // Analysis: values to values.
    .target(
      name: "SymbolOrdering",
      dependencies: ["FirstlightModel", "TextFormatting", "SystemSupport"],
      path: "Sources/Analysis/SymbolOrdering"),
    .target(
      name: "DeadCode",
      dependencies: [
        "FirstlightModel", "RunStatistics", "SystemSupport", "TextFormatting",
        .product(name: "Yams", package: "Yams", condition: tools),
      ],
      path: "Sources/Analysis/DeadCode"),
    .target(
      name: "References",
      dependencies: [
        "FirstlightModel", "SystemSupport", "DebugInfo", "ReferenceIndex", "DeadCode",
      ],
      path: "Sources/Analysis/References"),
    .target(
      name: "DeclarationRemoval",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax", condition: tools),
        .product(name: "SwiftParser", package: "swift-syntax", condition: tools),
      ],
      path: "Sources/Analysis/DeclarationRemoval"),
    .target(
      name: "StartupReport",
      dependencies: ["FirstlightModel", "RunStatistics", "BinaryInspection"],
      path: "Sources/Analysis/StartupReport"),
    .target(
      name: "BinaryInspection",
      dependencies: ["FirstlightModel"],
      path: "Sources/Analysis/BinaryInspection"),
    .target(
      name: "MachineInspection",
      dependencies: ["FirstlightModel", "SystemSupport", "DebugInfo", "KernelProbes"],
      path: "Sources/Analysis/MachineInspection"),
    .target(
      name: "LaunchTimeline",
      dependencies: ["FirstlightModel"],
      path: "Sources/Analysis/LaunchTimeline"),

    // Output: values to text.
    .target(
      name: "LinkerFormats",
      dependencies: ["FirstlightModel", "SymbolOrdering"],
      path: "Sources/Output/LinkerFormats"),
    .target(
      name: "ReportFormats",
      dependencies: [
        "FirstlightModel", "TextFormatting", "RunStatistics", "DeadCode", "References",
        "BinaryInspection", "StartupReport", "SymbolOrdering", "LaunchTimeline",
        "MachineInspection",
      ],
      path: "Sources/Output/ReportFormats",
      resources: [.embedInCode("Resources")]),
    .target(
      name: "Symbolization",
      dependencies: ["FirstlightModel", "DebugInfo"],
      path: "Sources/Output/Symbolization"),

    // Running: what starts, watches and measures programs.
    .target(
      name: "ProcessControl",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "MachineInspection",
        "FirstlightLauncher",
      ],
      path: "Sources/Running/ProcessControl"),
    .target(
      name: "Recording",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "TraceReader", "DebugInfo",
        "ProfileFile", "ProcessControl", "FirstlightTracer", "BinaryInspection",
      ],
      path: "Sources/Running/Recording"),
    .target(
      name: "StartupMeasurement",
      dependencies: [
        "FirstlightModel", "MachineInspection", "SystemSupport", "TextFormatting", "RunStatistics",
        "DebugInfo", "BinaryInspection", "StartupReport", "SymbolOrdering", "LinkerFormats",
        "ProcessControl", "Recording", "FirstlightLauncher",
      ],
      path: "Sources/Running/StartupMeasurement"),
    .target(
      name: "StartupTracing",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "RunStatistics", "TraceReader",
        "DebugInfo", "StartupReport", "LaunchTimeline", "ReportFormats", "ProcessControl",
        "Recording", "StartupMeasurement", "FirstlightLauncher", "FirstlightTracer",
      ],
      path: "Sources/Running/StartupTracing"),
    .target(
      name: "Building",
      dependencies: [
        "FirstlightModel", "SystemSupport", "ReferenceIndex", "MachineInspection", "LinkerFormats",
        "ProcessControl",
      ],
      path: "Sources/Running/Building"),
    .target(
      name: "BuildOptimizer",
      dependencies: [
        "Building", "FirstlightModel", "SystemSupport", "DebugInfo", "BinaryInspection",
        "StartupReport", "SymbolOrdering", "LinkerFormats", "ReportFormats", "ProfileFile",
        "ProcessControl", "TextFormatting", "Recording", "StartupMeasurement",
      ],
      path: "Sources/Running/BuildOptimizer"),

    .target(
      name: "SuiteRecording",
      dependencies: [
        "Building", "FirstlightModel", "SystemSupport", "TextFormatting", "ProfileFile",
        "ProcessControl", "Recording", "ReferenceIndex",
      ],
      path: "Sources/Running/SuiteRecording"),
    .target(
      name: "NeverCalledListing",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "DebugInfo", "DeadCode", "References",
        "ReportFormats",
      ],
      path: "Sources/Running/NeverCalledListing"),
    .target(
      name: "SourcePruning",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "ReferenceIndex", "DeadCode",
        "References", "DeclarationRemoval", "ProcessControl", "NeverCalledListing",
      ],
      path: "Sources/Running/SourcePruning"),

    // Fleet: what hosts send, and where it is kept.
    .target(
      name: "FleetModel",
      dependencies: ["FirstlightModel"],
      path: "Sources/Fleet/FleetModel"),
    .target(
      name: "SQLiteFleetStore",
      dependencies: [
        "FirstlightModel", "SQLiteSupport", "ProfileFile", "FleetModel",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ],
      path: "Sources/Fleet/SQLiteFleetStore"),
    .target(
      name: "ClickHouseStore",
      dependencies: ["FirstlightModel", "HTTPTransport", "FleetModel"],
      path: "Sources/Fleet/ClickHouseStore"),
    .target(
      name: "SpoolIntake",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TraceReader", "FleetModel", "TextFormatting",
        "SQLiteSupport", "ProfileFile",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
      ],
      path: "Sources/Fleet/SpoolIntake"),
    .target(
      name: "FleetAPI",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport", "FleetModel",
        "ReportFormats", "CZlib", "ProfileFile", "SQLiteFleetStore", "ClickHouseStore",
      ],
      path: "Sources/Fleet/FleetAPI"),
    // The only part of the daemon that reads ELF and DWARF, in processes of its own.
    .target(
      name: "BuildReader",
      dependencies: [
        "FirstlightModel", "SystemSupport", "DebugInfo", "FleetModel", "WorkerSandbox",
      ],
      path: "Sources/Fleet/BuildReader"),
    .target(
      name: "Collector",
      dependencies: [
        "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport", "TraceReader",
        "DebugInfo", "ProfileFile", "SymbolOrdering", "DeadCode", "LinkerFormats", "ReportFormats",
        "FleetModel", "SQLiteFleetStore", "SpoolIntake", "FleetAPI", "BuildReader",
        .product(name: "Hummingbird", package: "hummingbird", condition: tools),
        .product(name: "HummingbirdCore", package: "hummingbird", condition: tools),
        .product(name: "HummingbirdTLS", package: "hummingbird", condition: tools),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tools),
        .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: tools),
        .product(name: "Logging", package: "swift-log", condition: tools),
        .product(name: "Metrics", package: "swift-metrics", condition: tools),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: tools),
        .product(name: "Crypto", package: "swift-crypto", condition: tools),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: tools),
      ],
      path: "Sources/Fleet/Collector",
      resources: [.embedInCode("Resources")]),

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
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ],
      path: "Sources/Tools/FirstlightCLI"),
    // A program of its own: swift-syntax is larger than all of firstlight.
    .executableTarget(
      name: "FirstlightPrune",
      dependencies: [
        "FirstlightModel", "TextFormatting", "SystemSupport", "ProfileFile", "ReportFormats",
        "ProcessControl", "Recording", "SuiteRecording", "DeadCode", "NeverCalledListing",
        "SourcePruning",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ],
      path: "Sources/Tools/FirstlightPrune"),
    .systemLibrary(name: "CMalloc", path: "CSupport/CMalloc"),
    .executableTarget(
      name: "FirstlightDaemon",
      dependencies: [
        "CMalloc", "FirstlightModel", "SystemSupport", "TextFormatting", "HTTPTransport",
        "ClickHouseStore", "FleetAPI", "BuildReader", "Collector",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
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
      name: "FleetTestSupport", dependencies: ["FleetModel"], path: "Tests/FleetTestSupport"),
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
    .testTarget(
      name: "FirstlightLoggingTests",
      dependencies: [
        "TestSupport", "Firstlight", "FirstlightLogging", "TraceReader",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ]),
    .testTarget(name: "FirstlightModelTests", dependencies: ["FirstlightModel"]),
    // What the runtime and its readers do, in every order of a weak memory.
    .testTarget(name: "MemoryOrderTests", dependencies: ["TestSupport"]),
    .testTarget(
      name: "TraceReaderTests", dependencies: ["TestSupport", "FirstlightModel", "TraceReader"]),
    .testTarget(
      name: "SymbolOrderingTests", dependencies: ["FirstlightModel", "SymbolOrdering"]),
    .testTarget(
      name: "LinkerFormatsTests",
      dependencies: ["FirstlightModel", "SymbolOrdering", "LinkerFormats"]),
    .testTarget(name: "DeadCodeTests", dependencies: ["FirstlightModel", "DeadCode"]),
    .testTarget(
      name: "ReportFormatsTests",
      dependencies: [
        "TestSupport",
        "FirstlightModel",
        "TextFormatting",
        "RunStatistics",
        "ReferenceIndex",
        "DeadCode",
        "References",
        "BinaryInspection",
        "StartupReport",
        "SymbolOrdering",
        "LaunchTimeline",
        "MachineInspection",
        "ReportFormats",
      ]),
    .testTarget(
      name: "LaunchTimelineTests",
      dependencies: ["FirstlightModel", "LaunchTimeline", "TextFormatting", "ReportFormats"]),
    .testTarget(
      name: "StartupReportTests",
      dependencies: ["StartupReport", "FirstlightModel", "RunStatistics"]),
    .testTarget(name: "RunStatisticsTests", dependencies: ["RunStatistics"]),
    .testTarget(
      name: "BinaryInspectionTests",
      dependencies: ["FirstlightModel", "BinaryInspection", "StartupReport"]),
    .testTarget(
      name: "MachineInspectionTests",
      dependencies: ["FirstlightModel", "MachineInspection", "ReportFormats"]),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SpoolIntake",
        "FleetAPI", "SQLiteFleetStore", "Collector",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tools),
        .product(name: "Logging", package: "swift-log", condition: tools),
      ]),
    .testTarget(
      name: "FleetModelTests", dependencies: ["TestSupport", "FirstlightModel", "FleetModel"]),
    .testTarget(
      name: "SpoolIntakeTests",
      dependencies: [
        "TestSupport", "FirstlightModel", "SystemSupport", "TraceReader", "FleetModel",
        "SpoolIntake", .product(name: "GRDB", package: "GRDB.swift", condition: tools),
      ]),
    // The same tests for every store.
    .testTarget(
      name: "FleetStoreTests",
      dependencies: [
        "TestSupport", "FleetTestSupport", "FirstlightModel", "FleetModel", "SQLiteFleetStore",
        "ClickHouseStore", "HTTPTransport", "SymbolOrdering", "DeadCode",
      ]),
    // What only one of them has: statements, or files.
    .testTarget(
      name: "ClickHouseStoreTests",
      dependencies: ["FirstlightModel", "FleetModel", "HTTPTransport", "ClickHouseStore"]),
    .testTarget(
      name: "SQLiteFleetStoreTests",
      dependencies: [
        "TestSupport", "FirstlightModel", "FleetModel", "SQLiteFleetStore",
        .product(name: "GRDB", package: "GRDB.swift", condition: tools),
      ]),
    .testTarget(
      name: "ProfileFileTests", dependencies: ["TestSupport", "FirstlightModel", "ProfileFile"]),
    // Runs the tools themselves on real programs; depends on none of their modules, so that it can be
    // pointed at any build of them with FIRSTLIGHT_BIN.
    .testTarget(name: "IntegrationTests", dependencies: ["TestSupport"]),
    .testTarget(name: "TextFormattingTests", dependencies: ["TextFormatting", "TestSupport"]),
    .testTarget(
      name: "SystemSupportTests",
      dependencies: ["TestSupport", "FirstlightModel", "SystemSupport"]),
    .testTarget(
      name: "SQLiteSupportTests",
      dependencies: [
        "SQLiteSupport", .product(name: "GRDB", package: "GRDB.swift", condition: tools),
      ]),
    .testTarget(
      name: "CoverageImportTests",
      dependencies: ["TestSupport", "FirstlightModel", "CoverageImport"]),
    .testTarget(
      name: "ReferenceIndexTests",
      dependencies: ["TestSupport", "FirstlightModel", "ReferenceIndex"]),
    .testTarget(name: "ReferencesTests", dependencies: ["ReferenceIndex", "References"]),
    .testTarget(name: "DeclarationRemovalTests", dependencies: ["DeclarationRemoval"]),
    .testTarget(
      name: "SourcePruningTests",
      dependencies: [
        "TestSupport", "FirstlightModel", "DeclarationRemoval", "TextFormatting", "SourcePruning",
      ]),
    .testTarget(name: "SymbolizationTests", dependencies: ["FirstlightModel", "Symbolization"]),
    .testTarget(
      name: "ProcessControlTests",
      dependencies: ["TestSupport", "FirstlightModel", "SystemSupport", "ProcessControl"]),
    .testTarget(
      name: "RecordingTests",
      dependencies: ["FirstlightModel", "ProcessControl", "Recording", "TestSupport", "DebugInfo"]),
    .testTarget(
      name: "StartupMeasurementTests",
      dependencies: ["TestSupport", "FirstlightModel", "StartupReport", "StartupMeasurement"]),
    .testTarget(
      name: "StartupTracingTests",
      dependencies: [
        "TestSupport", "FirstlightModel", "SystemSupport", "StartupReport", "StartupTracing",
        "FirstlightTracer",
      ]),
    .testTarget(
      name: "BuildingTests",
      dependencies: ["TestSupport", "FirstlightModel", "Building"]),
    .testTarget(
      name: "BuildOptimizerTests",
      dependencies: ["TestSupport", "FirstlightModel", "BuildOptimizer"]),
    .testTarget(
      name: "SuiteRecordingTests",
      dependencies: ["TestSupport", "FirstlightModel", "SuiteRecording"]),
    .testTarget(
      name: "FleetAPITests",
      dependencies: [
        "TestSupport", "FirstlightModel", "TextFormatting", "HTTPTransport", "FleetModel",
        "FleetAPI", "FleetTestSupport", "SQLiteFleetStore",
      ]),
    .testTarget(
      name: "HTTPTransportTests", dependencies: ["TestSupport", "FirstlightModel", "HTTPTransport"]),
    .testTarget(
      name: "BuildReaderTests",
      dependencies: ["FirstlightModel", "BuildReader"]),
    .testTarget(
      name: "DebugInfoTests", dependencies: ["TestSupport", "FirstlightModel", "DebugInfo"]),
    // Command lines, without what they start.
    .testTarget(
      name: "FirstlightCLITests",
      dependencies: [
        "TestSupport", "FirstlightModel", "StartupReport", "ReportFormats", "ProcessControl",
        "FleetAPI", "FirstlightCLI",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ]),
    .testTarget(
      name: "FirstlightDaemonTests",
      dependencies: [
        "TestSupport", "FirstlightModel", "Collector", "FirstlightDaemon",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
