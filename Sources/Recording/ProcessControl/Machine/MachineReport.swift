import FirstlightModel

/// What a machine allows Firstlight to do, with advice for the rest.
package struct MachineReport: Sendable {
  /// Findings about the same commands.
  package struct Section: Sendable {
    package let title: String
    package let findings: [MachineFinding]
  }

  package let facts: MachineFacts
  package var sections: [Section]

  package init(_ facts: MachineFacts) {
    self.facts = facts
    sections = [
      Section(title: "Surroundings", findings: Self.surroundings(facts)),
      Section(
        title: "Breakpoints: record --no-rebuild, record --attach, launch",
        findings: Self.breakpoints(facts)),
      Section(title: "Guards: record, test, dead", findings: Self.guards(facts)),
      Section(title: "Measuring: compare, gate, optimize", findings: Self.measuring(facts)),
      Section(title: "Toolchain", findings: Self.toolchain(facts)),
      Section(title: "Debug information", findings: Self.debugInformation(facts)),
      Section(title: "Fleet: firstlightd", findings: Self.daemon(facts)),
    ]
  }

  package var findings: [MachineFinding] { sections.flatMap(\.findings) }

  /// A finding about a feature of the kernel.
  ///
  /// - Parameter state: the state if the feature does not work.
  static func kernel(
    _ facts: MachineFacts, _ feature: KernelFeature, _ title: String,
    without state: MachineFinding.State, works value: String = "works", cost: String,
    advice: String = ""
  ) -> MachineFinding {
    let problem: String
    switch facts.answers[feature] ?? .unknown {
    case .works: return MachineFinding(feature.rawValue, title, .available, value)
    case .unknown: return MachineFinding(feature.rawValue, title, .note, "not tried")
    case .hasNoEffect: problem = "has no effect"
    case .fails(let reason): problem = reason
    }
    return MachineFinding(
      feature.rawValue, title, state, problem, cost: cost, advice: advice)
  }

  private static func surroundings(_ facts: MachineFacts) -> [MachineFinding] {
    [
      MachineFinding("container", "container", .note, facts.container ?? "none seen"),
      MachineFinding(
        "system-call-filter", "system call filter", .note,
        facts.rights.isFiltered ? "in force: what it denies shows below" : "none"),
    ]
  }
}

extension MachineReport {
  static func breakpoints(_ facts: MachineFacts) -> [MachineFinding] {
    [
      kernel(
        facts, .tracing, "ptrace", without: .missing,
        works: facts.ptraceScope.map { "works (kernel.yama.ptrace_scope is \($0))" } ?? "works",
        cost: "record --no-rebuild and launch do not work; compare and gate do not measure a "
          + "program's memory at its exit. Guards record as always",
        advice: TracingAdvice.text(scope: facts.ptraceScope)),
      kernel(
        facts, .codeWriting, "writing code, /proc/PID/mem", without: .limited,
        cost: "breakpoints are written word by word with ptrace: recording begins later",
        advice: "start Linux with proc_mem.force_override=ptrace"),
      kernel(
        facts, .systemCallInfo, "PTRACE_GET_SYSCALL_INFO", without: .limited,
        cost: "launch does not show when the loader opens and maps each library",
        advice: "use Linux 5.3 or newer, or a container runtime of that age"),
      kernel(
        facts, .memoryComparison, "kcmp", without: .limited,
        cost: "of a child that shares its parent's memory only vfork and clone are known, as libc "
          + "uses them",
        advice: "start the container with --cap-add=SYS_PTRACE"),
      kernel(
        facts, .attaching, "the kernel's probes (uprobe_multi)", without: .limited,
        cost: "record --attach needs --ptrace, which is not for production",
        advice: facts.rights.advice(kernel: facts.host.kernel)),
    ] + runningPrograms(facts)
  }

  /// Has a row only if firstlight may trace the programs that it starts, but no others.
  private static func runningPrograms(_ facts: MachineFacts) -> [MachineFinding] {
    guard facts.ptraceScope == 1, facts.rights.missing.contains(where: { $0 == "CAP_SYS_PTRACE" })
    else {
      return []
    }
    return [
      MachineFinding(
        "ptrace-attach", "ptrace of running programs", .limited, "Operation not permitted",
        cost: "record --attach --ptrace does not work",
        advice: TracingAdvice.text(scope: 1, isRunning: true))
    ]
  }

  static func daemon(_ facts: MachineFacts) -> [MachineFinding] {
    let cost = "firstlightd reads no function tables, so its lists and orders lack names"
    return [
      kernel(
        facts, .processDescriptor, "pidfd_open", without: .missing, cost: cost,
        advice: "use Linux 5.3 or newer, or a container runtime of that age"),
      kernel(
        facts, .systemCallFilter, "seccomp filters", without: .missing, cost: cost,
        advice: "use a kernel with CONFIG_SECCOMP_FILTER"),
      kernel(
        facts, .descriptorClosing, "close_range", without: .missing, cost: cost,
        advice: "use Linux 5.9 or newer, or a container runtime of that age"),
      kernel(
        facts, .restrictedOpen, "openat2", without: .missing, cost: cost,
        advice: "use Linux 5.6 or newer, or a container runtime of that age"),
    ]
  }
}

/// Advice on how to permit tracing.
enum TracingAdvice {
  /// - Parameter scope: Yama's setting (Documentation/admin-guide/LSM/Yama.rst of Linux): with 2 only processes
  ///   with CAP_SYS_PTRACE may trace, with 3 none until the next boot. 0 and 1 allow what Firstlight does.
  /// - Parameter isRunning: whether the program was running before, and is not a child of ours.
  static func text(scope: Int?, isRunning: Bool = false) -> String {
    switch scope {
    case 1 where isRunning:
      "kernel.yama.ptrace_scope is 1: run as root, or allow it with: "
        + "sysctl kernel.yama.ptrace_scope=0"
    case 3: "kernel.yama.ptrace_scope is 3: tracing is disabled until the next boot"
    case 2:
      "kernel.yama.ptrace_scope is 2: run as root, or allow it with: "
        + "sysctl kernel.yama.ptrace_scope=1"
    case _ where isRunning:
      "run firstlight as root or as the program's user; in a container, start it with "
        + "--cap-add=SYS_PTRACE and the program's pid namespace"
    default:
      "ptrace is not permitted here: start the container with --cap-add=SYS_PTRACE (Docker, "
        + "Podman) or securityContext.capabilities.add: [SYS_PTRACE] (Kubernetes)"
    }
  }
}
