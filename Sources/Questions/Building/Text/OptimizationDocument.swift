import FirstlightModel
import Reports
import Startup
import SystemSupport

extension Optimization {
  /// - Parameters:
  ///   - applied: opt-in options that were applied.
  ///   - files: the written files, with a label for each.
  ///   - check: the command that lists the functions that the order did not move.
  ///   - command: the command that builds the program from now on.
  package func document(
    applied: [Priced] = [], files: [(label: String, text: String)], check: String, command: String
  ) -> Document {
    let sentences = ComparisonSentences(comparison: comparison)
    let gain = StartupGain(comparison)
    let options = priced.flatMap {
      [
        "  --also \($0.name)", "      \($0.gain): up to \(CountText.text($0.pages, "page"))",
        "      price: \($0.price)",
      ]
    }
    return Document([
      sentences.warning.map { .warning($0) },
      .title(Self.verdict(gain), Self.colour(gain.verdict)), .lines([sentences.title]),
      .facts([
        ("before", ComparisonSentences.side(comparison.a)),
        ("after", ComparisonSentences.side(comparison.b)),
      ]),
      .table(comparison.table("before", "after", isBrief: true)),
      .lines(sentences.conclusions(on: "After") + reasons),
      .paragraph(["Changes"] + changes(applied, check: check).map { "  " + $0 }),
      .paragraph(["Rule: the new build is recommended if \(StartupGain.rule)."]),
      options.isEmpty ? nil : .paragraph(["Opt-in options"] + options),
      .paragraph([]), .facts(files + sentences.conditions),
      .paragraph(recipe(applied, isRecommended: gain.verdict == .worthIt) + [command]),
    ])
  }

  /// The result in the first line.
  private static func verdict(_ gain: StartupGain) -> String {
    func names(_ rows: [StartupComparison.Row]) -> String {
      rows.map { row in
        row.metric.title + (row.change.map { " " + NumberText.percent($0) } ?? "")
      }.joined(separator: ", ")
    }
    let losses = names(gain.losses)
    let resolved = names(gain.losses.filter { $0.verdict == .higher })
    let isDoubtful = gain.losses.contains { $0.verdict != .higher }
    let more = isDoubtful ? " That may be chance: measure again with more --runs." : ""
    return switch gain.verdict {
    case .worthIt: "WORTH IT: \(names(gain.gains))."
    case .noTime: "NO TIME GAINED: lower in \(names(gain.gains)). Nothing is recommended."
    case .mixed:
      "MIXED RESULT: lower in \(names(gain.gains)), but higher in \(losses). Nothing is recommended."
        + more
    case .none:
      "NO GAIN worth a change: keep your build as it is."
        + (resolved.isEmpty ? "" : " Higher in \(resolved).")
    }
  }

  private static func colour(_ verdict: StartupGain.Verdict) -> TextColour? {
    switch verdict {
    case .worthIt: .good
    case .mixed, .noTime: .doubtful
    case .none: nil
    }
  }

  /// Known reasons why no time was gained; empty if time was gained, or was not compared.
  private var reasons: [String] {
    let time = comparison.rows.first { $0.metric == .time }
    guard let time, time.verdict == .higher || (time.verdict != .lower && time.shift != nil) else {
      return []
    }
    let result = time.verdict == .higher ? "No time was gained" : "No gain of time was measured"
    let ofSwift = libraries.filter {
      $0.begins(with: "libswift") || $0.begins(with: "libFoundation")
    }
    var lines: [String] = []
    if libraries.count > 3 {
      lines.append(
        "\(result): its start loads \(CountText.text(libraries.count, "shared library", "shared libraries")), "
          + "which no order of its own functions makes cheaper (firstlight libraries shows each).")
    } else {
      lines.append(
        "\(result): its start touches "
          + "\(CountText.text(verification.pages, "page")) of its own functions "
          + "(firstlight launch shows what takes its time).")
    }
    if !ofSwift.isEmpty {
      lines.append(
        "\(CountText.number(ofSwift.count)) of them are Swift's: build with --static-swift-stdlib, then "
          + "optimize again.")
    }
    return lines
  }
}
