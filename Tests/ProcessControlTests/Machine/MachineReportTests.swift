import FirstlightModel
import ProcessControl
import Testing

/// What is said of a machine, by what was found out about it.
@Suite struct MachineReportTests {
  /// A machine where everything works.
  private static func facts() -> MachineFacts {
    var facts = MachineFacts(
      host: Host(
        name: "host", kernel: "Linux 6.1.0", architecture: "x86_64", processor: "", cores: 4))
    facts.libc = "2.36"
    facts.folder.path = "/srv"
    facts.folder.readahead = 128
    for feature in KernelFeature.allCases { facts.answers[feature] = .works }
    facts.tools = ["swift", "clang", "ld.lld"].map {
      MachineFacts.Tool(name: $0, path: "/usr/bin/\($0)", version: "19.1")
    }
    facts.libraries = [
      "libfirstlight_rt.a", "libfirstlight_prefetch.a", "libIndexStore.so", "firstlight-prune",
      "libfirstlight_conformances.a",
    ].map { MachineFacts.Library(name: $0, failure: nil) }
    facts.debugInformation.elfutils = "0.192"
    facts.debugInformation.inflatesZstd = true
    facts.debugInformation.servers = ["https://debuginfod.example"]
    return facts
  }

  private static func finding(_ facts: MachineFacts, _ id: String) throws -> MachineFinding {
    try #require(MachineReport(facts).findings.first { $0.id == id })
  }

  @Test func aMachineWithEverythingMissesNothing() {
    let report = MachineReport(Self.facts())
    #expect(report.findings.allSatisfy { $0.state == .available || $0.state == .note })
    #expect(report.findings.allSatisfy { $0.cost.isEmpty })
    #expect(MachineReportText.text(report, coloured: false).hasSuffix("\nNothing is missing.\n"))
    #expect(Set(report.findings.map(\.id)).count == report.findings.count)
  }

  @Test(arguments: KernelFeature.allCases)
  func aFeatureThatFailsSaysWhy(feature: KernelFeature) throws {
    var facts = Self.facts()
    facts.answers[feature] = .fails("Operation not permitted")
    let finding = try Self.finding(facts, feature.rawValue)
    #expect(finding.state == .missing || finding.state == .limited)
    #expect(finding.value == "Operation not permitted" && !finding.cost.isEmpty)
    let changed = MachineReport(facts).findings.filter {
      $0.state != .available && $0.state != .note
    }
    #expect(changed == [finding])
  }

  @Test(arguments: [
    (0, "--cap-add=SYS_PTRACE"), (1, "--cap-add=SYS_PTRACE"), (2, "sysctl kernel.yama"),
    (3, "until the next boot"),
  ])
  func refusedTracingSaysHowToAllowIt(scope: Int, advice: String) throws {
    var facts = Self.facts()
    facts.ptraceScope = scope
    #expect(try Self.finding(facts, "ptrace").value.contains("ptrace_scope is \(scope)"))
    facts.answers[.tracing] = .fails("Operation not permitted")
    #expect(try Self.finding(facts, "ptrace").advice.contains(advice))
  }

  @Test(arguments: [
    ("Linux 6.1.0-18-amd64", ["CAP_BPF"], false, false, "they need Linux 6.6"),
    ("Linux 6.6.0", ["CAP_BPF", "CAP_SYS_PTRACE"], false, false, "run as root, or with CAP_BPF"),
    ("Linux 6.12", ["CAP_BPF", "CAP_PERFMON"], false, true, "with CAP_BPF and CAP_PERFMON"),
    ("Linux 6.12", [], true, true, "outside of this user namespace"),
    ("Linux 6.12", [], false, true, "allow bpf(2)"),
  ])
  func refusedProbesSayWhatWouldAllowThem(
    kernel: String, missing: [String], isInUserNamespace: Bool, isFiltered: Bool, advice: String
  ) {
    var rights = AttachRights()
    rights.missing = missing
    rights.isInUserNamespace = isInUserNamespace
    rights.isFiltered = isFiltered
    #expect(rights.advice(kernel: kernel).contains(advice))
  }

  /// Yama's default forbids what other tracing does not need.
  @Test func programsThatRunAreTracedLessThanThoseThatAreStarted() throws {
    var facts = Self.facts()
    facts.ptraceScope = 1
    #expect(!MachineReport(facts).findings.contains { $0.id == "ptrace-attach" })
    facts.rights.missing = ["CAP_SYS_PTRACE"]
    let finding = try Self.finding(facts, "ptrace-attach")
    #expect(finding.state == .limited && finding.advice.contains("ptrace_scope=0"))
  }

  @Test func memoryThatIsNotWipedIsAnotherLossThanARefusal() throws {
    var facts = Self.facts()
    facts.answers[.wipeOnFork] = .hasNoEffect
    #expect(try Self.finding(facts, "wipe-on-fork").cost.contains("clone without libc"))
    facts.answers[.wipeOnFork] = .fails("Invalid argument")
    #expect(try Self.finding(facts, "wipe-on-fork").cost.contains("record nothing"))
  }

  @Test func aFolderInMemoryIsNamed() throws {
    var facts = Self.facts()
    facts.answers[.pageDropping] = .hasNoEffect
    facts.folder.isInMemoryOnly = true
    let finding = try Self.finding(facts, "page-dropping")
    #expect(finding.state == .missing && finding.advice.contains("/srv is in memory"))
  }

  @Test(
    arguments: [
      (nil, .note), (0, .available), (128, .available), (129, .limited), (8192, .limited),
    ] as [(Int?, MachineFinding.State)])
  func largeReadaheadIsALimit(kilobytes: Int?, state: MachineFinding.State) throws {
    var facts = Self.facts()
    facts.folder.readahead = kilobytes
    #expect(try Self.finding(facts, "readahead").state == state)
  }

  @Test func missingToolsSayWhatTheyCost() throws {
    var facts = Self.facts()
    facts.tools[2].path = nil
    facts.libraries[3].failure = Failure(.unavailable, "not found", advice: "build it")
    let linker = try Self.finding(facts, "ld.lld")
    #expect(linker.state == .missing && linker.cost.contains("optimize"))
    let prune = try Self.finding(facts, "firstlight-prune")
    #expect(prune.state == .missing && prune.value == "not found" && prune.advice == "build it")
    // What is only of interest is no loss.
    #expect(try Self.finding(facts, "gcc").state == .note)
  }

  /// Debian 11 has 11.0.1.
  @Test(
    arguments: [
      ("11.0.1", .limited), ("14.0", .available), ("21.1.0", .available), (nil, .available),
    ] as [(String?, MachineFinding.State)])
  func oldToolsAreALimit(version: String?, state: MachineFinding.State) throws {
    var facts = Self.facts()
    for name in ["clang", "ld.lld"] {
      let place = try #require(facts.tools.firstIndex { $0.name == name })
      facts.tools[place].version = version
      #expect(try Self.finding(facts, name).state == state)
    }
  }

  @Test func textHasAllAndFitsATerminal() throws {
    var facts = Self.facts()
    for feature in KernelFeature.allCases { facts.answers[feature] = .fails("No such call") }
    let report = MachineReport(facts)
    let text = MachineReportText.text(report, coloured: false)
    for finding in report.findings { #expect(text.contains(finding.title)) }
    for line in text.split(separator: "\n") { #expect(line.count <= 79, "\(line)") }
    #expect(!text.contains("\u{1b}"))
    let coloured = MachineReportText.text(report, coloured: true)
    #expect(coloured.contains("\u{1b}[31mmissing\u{1b}[0m "))
    #expect(coloured.replacing(/\u{1b}\[\d+m/, with: "") == text)
  }
}
