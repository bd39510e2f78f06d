/// What a machine allows Firstlight, and what to do about the rest.
package struct MachineReport: Sendable {
  /// Findings that concern the same commands.
  package struct Section: Sendable {
    package let title: String
    package let findings: [MachineFinding]
  }

  package let facts: MachineFacts
  package let sections: [Section]

  package init(_ facts: MachineFacts) {
    self.facts = facts
    sections = [
      Section(title: "Surroundings", findings: Self.surroundings(facts)),
      Section(
        title: "Breakpoints: record --no-rebuild, launch", findings: Self.breakpoints(facts)),
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
  /// - Parameter state: if it does not work.
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
        facts.isFiltered ? "in force: what it denies shows below" : "none"),
    ]
  }
}
