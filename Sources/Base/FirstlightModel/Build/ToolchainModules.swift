/// Swift modules that come with the toolchain. What a program holds of their code are copies:
/// specialisations, and functions that are emitted into each client.
package enum ToolchainModules {
  package static let names: Set<String> = [
    "Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "_RegexParser",
    "_Differentiation", "_Volatile", "_Backtracing", "Runtime", "Distributed", "Observation",
    "RegexBuilder", "Synchronization", "Cxx", "CxxStdlib", "std", "__C", "__C_Synthesized",
    "__ObjC",
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
    "FoundationXML", "_FoundationCollections", "_FoundationCShims", "_FoundationICU",
    "CoreFoundation", "Dispatch", "CDispatch", "Glibc", "SwiftGlibc", "Musl", "XCTest", "Testing",
    "_TestingInternals", "_Testing_Foundation", "SwiftShims",
  ]
}
