import FirstlightModel

extension MachineReport {
  private static let uses: [(name: String, cost: String, advice: String)] = [
    (
      "swift", "Swift packages cannot be built with guards or optimized",
      "put a Swift toolchain's usr/bin on PATH (www.swift.org/install/linux)"
    ),
    (
      "clang", "C and C++ programs cannot be built with guards: gcc has none",
      "apt install clang, or put a Swift toolchain's usr/bin on PATH"
    ),
    (
      "ld.lld", "programs cannot be linked in an order: optimize does not work",
      "apt install lld, or put a Swift toolchain's usr/bin on PATH"
    ),
    ("ld", "", ""),
    ("ld.gold", "", ""),
    ("gcc", "", ""),
  ]

  /// The same versions as in Documentation/Installing.md.
  private static let leastVersions = ["clang": 14, "ld.lld": 14]

  static func toolchain(_ facts: MachineFacts) -> [MachineFinding] {
    var findings = uses.map { use in
      let tool = facts.tools.first { $0.name == use.name }
      guard let path = tool?.path else {
        return MachineFinding(
          use.name, use.name, use.cost.isEmpty ? .note : .missing, "not on PATH", cost: use.cost,
          advice: use.advice)
      }
      let value = (tool?.version.map { "\($0), " } ?? "") + path
      if let least = leastVersions[use.name], let found = tool?.majorVersion, found < least {
        return MachineFinding(
          use.name, use.name, .limited, value,
          cost: "Firstlight is not tested with versions before \(least)", advice: use.advice)
      }
      return MachineFinding(use.name, use.name, use.cost.isEmpty ? .note : .available, value)
    }
    findings.append(
      library(
        facts, "libIndexStore.so",
        cost: "dead --deletable and prune do not know what refers to a function"))
    findings.append(library(facts, "firstlight-prune", cost: "dead --index and prune do not work"))
    return findings
  }

  static func library(_ facts: MachineFacts, _ name: String, cost: String) -> MachineFinding {
    guard let library = facts.libraries.first(where: { $0.name == name }) else {
      return MachineFinding(name, name, .note, "not tried")
    }
    guard let failure = library.failure else {
      return MachineFinding(name, name, .available, "found")
    }
    return MachineFinding(
      name, name, .missing, failure.problem, cost: cost, advice: failure.advice)
  }

  static func debugInformation(_ facts: MachineFacts) -> [MachineFinding] {
    let found = facts.debugInformation
    let servers = found.servers
    return [
      found.inflatesZstd
        ? MachineFinding("elfutils", "elfutils", .available, found.elfutils)
        : MachineFinding(
          "elfutils", "elfutils", .limited, "\(found.elfutils), without zstd",
          cost: "functions of binaries whose debug sections zstd compressed have no source lines",
          advice: "recompress them with objcopy --compress-debug-sections=zlib"),
      servers.isEmpty
        ? MachineFinding(
          "debuginfod", "debuginfod", .note, "DEBUGINFOD_URLS is not set",
          cost: "stripped binaries without a debug file here have no function names",
          advice: "export DEBUGINFOD_URLS=https://debuginfod.debian.net (or your system's)")
        : MachineFinding(
          "debuginfod", "debuginfod", .available, servers.joined(separator: " ")),
    ]
  }
}
