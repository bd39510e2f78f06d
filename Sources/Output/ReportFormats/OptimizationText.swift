import FirstlightModel
import StartupReport
import SymbolOrdering
import SystemSupport

/// The result of an optimization, as text.
package enum OptimizationText {
  /// A flag to add to the user's build, with its purpose.
  package struct Kept: Sendable {
    package var flags: [String]
    package var purpose: String
    package var price: String

    package init(_ flags: [String], _ purpose: String, price: String = "") {
      self.flags = flags
      self.purpose = purpose
      self.price = price
    }
  }

  /// - Parameters:
  ///   - kept: flags to add to the build.
  ///   - base: flags that these need.
  ///   - files: the written files, with a label for each.
  ///   - check: the command that lists the functions that the order did not move.
  ///   - command: the command that builds the program from now on.
  ///   - isColoured: whether verdicts have colours.
  package static func text(
    _ optimization: Optimization, kept: [Kept], base: [String],
    files: [(what: String, path: String)], check: String, command: String,
    isColoured: Bool = false
  ) -> String {
    let cells = ComparisonCells(comparison: optimization.comparison)
    let gain = StartupGain(optimization.comparison)
    var text = cells.warning.map { $0.coloured(isColoured ? .bad : nil) + "\n" } ?? ""
    text += verdict(gain).coloured(isColoured ? colour(gain.verdict) : nil) + "\n"
    text += cells.title + "\n"
    text += "  before  \(ComparisonCells.side(optimization.comparison.a))\n"
    text += "  after   \(ComparisonCells.side(optimization.comparison.b))\n\n"
    var table = TextTable([.left, .right, .right, .right, .right, .left])
    table.add(row: ["Metric (median)", "before", "after", "Change", "p", "After is"])
    for (row, colour) in zip(cells.rows, cells.colours) {
      table.add(
        row: [row[0], row[1], row[3], row[5], row[6], row[8]], colour: isColoured ? colour : nil)
    }
    text += table.text() + "\n"
    for conclusion in cells.conclusions {
      text += conclusion.replacing("B is", with: "After is") + "\n"
    }
    for line in reasons(optimization) { text += line + "\n" }
    text += "\nChanges\n"
    for line in done(optimization, check: check) { text += "  \(line)\n" }
    text += "\nRule: flags are recommended if \(StartupGain.rule).\n"
    text +=
      gain.verdict == .worthIt
      ? "\nAdd these flags to your build, and compile and link with \(base.joined(separator: " "))\n"
      : "\nTried, not recommended: these flags, compiled and linked with "
        + "\(base.joined(separator: " "))\n"
    for flag in kept {
      let words = flag.flags.map(ShellText.quoted)
      text += "  \(words.joined(separator: " "))\n      \(flag.purpose)\n"
      if !flag.price.isEmpty { text += "      price: \(flag.price)\n" }
    }
    if !optimization.priced.isEmpty {
      text += "\nOpt-in options\n"
      for lever in optimization.priced {
        text +=
          "  --also \(lever.name)\n      \(lever.gain): up to \(CountText.text(lever.pages, "page"))\n"
          + "      price: \(lever.price)\n"
      }
    }
    text += "\n"
    var list = TextTable([.left, .left])
    for file in files { list.add(file.what, file.path) }
    for line in cells.conditions { list.add(line.label, line.text) }
    let advice =
      gain.verdict == .worthIt ? "Build it so from now on" : "To build it so all the same"
    return text + list.text() + "\n\(advice):\n\(command)\n"
  }

  /// The result in the first line.
  private static func verdict(_ gain: StartupGain) -> String {
    func names(_ rows: [StartupComparison.Row]) -> String {
      rows.map { row in
        row.metric.title + (row.change.map { " " + NumberText.percent($0) } ?? "")
      }.joined(separator: ", ")
    }
    let losses = names(gain.losses)
    let isDoubtful = gain.losses.contains { $0.verdict != .higher }
    let more = isDoubtful ? " That may be chance: measure again with more --runs." : ""
    return switch gain.verdict {
    case .worthIt: "WORTH IT: \(names(gain.gains))."
    case .mixed:
      "MIXED RESULT: lower in \(names(gain.gains)), but higher in \(losses). Nothing is recommended."
        + more
    case .none:
      "NO GAIN worth a change: keep your build as it is."
        + (losses.isEmpty ? "" : " Higher in \(losses).")
    }
  }

  private static func colour(_ verdict: StartupGain.Verdict) -> TextColour? {
    switch verdict {
    case .worthIt: .good
    case .mixed: .doubtful
    case .none: nil
    }
  }

  /// Known reasons why no time was gained; empty if time was gained, or was not compared.
  private static func reasons(_ optimization: Optimization) -> [String] {
    let time = optimization.comparison.rows.first { $0.metric == .time }
    guard let time, time.verdict == .higher || (time.verdict != .lower && time.shift != nil) else {
      return []
    }
    let result = time.verdict == .higher ? "No time was gained" : "No gain of time was measured"
    let libraries = optimization.libraries
    let ofSwift = libraries.filter { $0.hasPrefix("libswift") || $0.hasPrefix("libFoundation") }
    var lines: [String] = []
    if libraries.count > 3 {
      lines.append(
        "\(result): its start loads \(CountText.text(libraries.count, "shared library", "shared libraries")), "
          + "which no order of its own functions makes cheaper (firstlight libraries shows each).")
    } else {
      lines.append(
        "\(result): its start touches "
          + "\(CountText.text(optimization.verification.pages, "page")) of its own functions "
          + "(firstlight launch shows what takes its time).")
    }
    if !ofSwift.isEmpty {
      lines.append(
        "\(CountText.number(ofSwift.count)) of them are Swift's: build with --static-swift-stdlib, then "
          + "optimize again.")
    }
    return lines
  }

  private static func done(_ optimization: Optimization, check: String) -> [String] {
    let verification = optimization.verification
    var lines = [
      "\(CountText.text(verification.entries.count, "function")) called in "
        + "\(CountText.text(optimization.recordedRuns, "run")) ordered; "
        + "\(NumberText.share(verification.hitRate)) are in order, on "
        + "\(CountText.text(verification.pages, "page")) (at least "
        + "\(CountText.number(verification.minimumPages)) needed)"
    ]
    lines += unmovable(optimization, check: check)
    lines.append(packing(optimization))
    if let prefetch = optimization.prefetch {
      lines.append(
        "\(CountText.text(prefetch.pageCount, "page")) in "
          + "\(CountText.text(prefetch.ranges.count, "range")) prefetched before main")
    }
    if let glibc = optimization.glibc {
      lines.append(
        "starts with glibc \(glibc.version) or newer"
          + (glibc.unpacked < glibc.version
            ? " (\(glibc.unpacked) without packed relocations: --target-glibc \(glibc.unpacked))"
            : ""))
    }
    if let conformances = optimization.conformances { lines.append(conformances.line) }
    return lines
  }

  private static func packing(_ optimization: Optimization) -> String {
    if optimization.isPacked { return "relative relocations packed" }
    let needed = GlibcVersion.packedRelocations
    if let target = optimization.target, target < needed {
      return
        "relative relocations not packed: they need glibc \(needed), and the target has \(target)"
    }
    return "relative relocations not packed: it takes lld 15 and glibc \(needed) or newer"
      + (optimization.linker.isEmpty ? "" : "; linked by \(optimization.linker)")
  }

  /// Functions that the order could not move, and whether the user can change that.
  private static func unmovable(_ optimization: Optimization, check: String) -> [String] {
    let entries = optimization.verification.entries
    let files = entries.compactMap { entry -> String? in
      // Without a map, the file is unknown.
      if case .sharesSection(let file, _) = entry.fate { file ?? "" } else { nil }
    }
    if files.isEmpty { return [] }
    var lines = [
      "\(CountText.text(files.count, "function")) not movable, in sections shared with others: compiled "
        + "without -ffunction-sections (list: \(check))"
    ]
    let foreign = files.filter { !optimization.owner.owns($0) }
    if !foreign.isEmpty {
      let names = Set(foreign.map { BaseName.of(SectionOwner.archive($0)) }).sorted()
      lines.append(
        "\(CountText.number(foreign.count)) of them are not yours to recompile: "
          + names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", ..." : ""))
    }
    if optimization.takesCompilerFlags, (files.count - foreign.count) * 4 > entries.count {
      lines.append(
        "to move these too, pass {cflags} to the compiler, and have the build command recompile all "
          + "(begin with make clean)")
    }
    return lines
  }
}
