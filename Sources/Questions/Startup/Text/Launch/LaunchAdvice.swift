import FirstlightModel
import SystemSupport

/// The advised next step, from the stages that take most of a start.
enum LaunchAdvice {
  /// A stage is worth a sentence of its own from this share of the start on.
  private static let large = 0.25

  /// The last line of a report; nil: the program did not start, or its stages are unknown.
  static func text(_ report: StartupReport) -> String? {
    guard report.failure == nil, report.tracedEndAlike, !report.watched.isEmpty else { return nil }
    let shares = Dictionary(
      report.stageRows.map { ($0.kind, $0.share) }, uniquingKeysWith: { $0 + $1 })
    let worst = [LaunchStage.Kind.mapping, .relocating, .initializers]
      .max { (shares[$0] ?? 0) < (shares[$1] ?? 0) }
    if let lookups = report.lookups, let share = lookups.share, share >= large {
      return
        "next: \(percent(share)) of the CPU time goes into conformance look-ups; firstlight optimize "
        + "answers them from an index, in programs linked with --static-swift-stdlib"
    }
    if let worst, let share = shares[worst], share >= large,
      let sentence = sentence(worst, percent(share), report)
    {
      return "next: " + sentence
    }
    return calls(report).map { "next: " + $0 }
  }

  private static func sentence(
    _ stage: LaunchStage.Kind, _ share: String, _ report: StartupReport
  ) -> String? {
    // The other commands take a path, where launch also found a name on PATH.
    let found = report.imageRows.first { BaseName.of($0.path) == report.command[0] }
    let program = Escaping.shellWord(found?.path ?? report.command[0])
    switch stage {
    case .mapping:
      return
        "the loader takes \(share) to map \(CountText.text(report.imageRows.count, "file")); firstlight "
        + "libraries \(program) shows which of them are hardly used"
    case .relocating:
      guard let image = report.imageRows.max(by: { ($0.relocations ?? 0) < ($1.relocations ?? 0) })
      else { return nil }
      let isProgram = BaseName.of(image.path) == BaseName.of(report.command[0])
      return "\(share) is relocating, most of it \(BaseName.of(image.path)); "
        + (isProgram
          ? "firstlight optimize packs a program's relocations"
          : "link it statically (Swift: --static-swift-stdlib), or firstlight libraries \(program) "
            + "shows whether it is needed")
    case .initializers:
      guard let row = report.initializerRows.first(where: \.isTheProgramsOwn) else { return nil }
      let name =
        row.name.isEmpty
        ? "one"
        : FunctionIdentity(
          name: row.name, demangled: report.names[row.name] ?? row.name
        ).shownName
      return
        "\(share) passes before main, most in \(name) of \(BaseName.of(row.image)); do its work "
        + "when it is first needed"
    case .exec, .earlier, .main, .unknown: return nil
    }
  }

  /// Advice on how to see the functions of a start that is mostly the program's own code.
  private static func calls(_ report: StartupReport) -> String? {
    guard let tree = report.calls else {
      return
        "most of the start is the program's own code; without --no-calls, its functions are shown"
    }
    guard !tree.calls.isEmpty else { return nil }
    return "most of the start is the program's own code; -o start.html shows what calls what"
  }

  private static func percent(_ share: Double) -> String {
    NumberText.decimal(share * 100, digits: 0) + "%"
  }
}
