import FirstlightModel
import NeverCalled
import Reports
import SystemSupport

/// The texts of commits, with the evidence for each change. No line may begin as a patch does.
package enum OwnerMessages {
  /// The evidence for all changes.
  package struct Evidence {
    package var observation: Observation
    package var references: ReferenceText
    /// The command that every patch passed; nil: nothing was built.
    package var command: String?
    /// When a line of a file was last changed, in seconds since 1970; nil: unknown.
    package var changed: (_ file: String, _ line: Int) -> Double?

    package init(
      observation: Observation, references: ReferenceText, command: String?,
      changed: @escaping (_ file: String, _ line: Int) -> Double?
    ) {
      self.observation = observation
      self.references = references
      self.command = command
      self.changed = changed
    }
  }

  /// The text of the commit of one entry.
  package static func text(
    _ entry: PatchSeries.Entry, of series: PatchSeries, _ plan: PrunePlan, _ evidence: Evidence
  ) -> String {
    [
      plan.subject(of: entry.changed), plan.reason(for: entry.changed),
      recordings(evidence.observation) + "\n"
        + verification(entry, series.entries.count, evidence.command),
      entry.changed.map { text(plan, $0, evidence) }.joined(separator: "\n"),
      owners(entry, series.entries),
    ].joined(separator: "\n\n")
  }

  // MARK: Paragraphs

  private static func recordings(_ observation: Observation) -> String {
    let hosts =
      observation.hosts.isEmpty ? "" : " on \(CountText.text(observation.hosts.count, "host"))"
    let builds = observation.buildsText
    var text = "Recorded: \(CountText.text(observation.runs, "run"))\(hosts) of \(builds)"
    if observation.startedAt > 0 {
      text +=
        ",\n  \(TimeText.day(observation.startedAt)) to \(TimeText.day(observation.endedAt)), "
        + "\(TimeText.text(observation.timeObserved)) in total"
    }
    if !observation.losses.isEmpty {
      text += "\n  Incomplete (\(LossText.text(observation.losses))): they may have run."
    }
    return text
  }

  private static func verification(
    _ entry: PatchSeries.Entry, _ count: Int, _ command: String?
  ) -> String {
    guard let command else { return "Verified: by references only; nothing was built" }
    let others = entry.needs.map { "\($0 + 1)" }.joined(separator: ", ")
    let patches = entry.needs.count > 1 ? "patches" : "patch"
    let with = entry.needs.isEmpty ? "this patch alone" : "this patch and \(patches) \(others)"
    let line = Escaping.terminal(command)
    return "Verified: with \(with)\(count > 1 ? ", and with all \(count)" : ""), this passes:\n"
      + "  \(line)"
  }

  private static func text(
    _ plan: PrunePlan, _ number: Int, _ evidence: Evidence
  ) -> String {
    let candidate = plan.candidates[number]
    let place = candidate.definition
    let path = plan.path(of: place.file) ?? place.file
    var facts = [plan.note(on: number) ?? evidence.references.text(candidate.identity)]
      .compactMap { $0 }
    if let age = candidate.age { facts.append(AgeText.text(age)) }
    if let time = evidence.changed(place.file, place.target.line) {
      facts.append("line of \(TimeText.day(time))")
    }
    return Escaping.terminal("  \(candidate.name)  \(path):\(place.target.line)") + "\n"
      + Escaping.terminal("    " + facts.joined(separator: "; "))
  }

  private static func owners(_ entry: PatchSeries.Entry, _ entries: [PatchSeries.Entry]) -> String {
    let owners = entry.part.owners
    var text = "Owners: " + (owners.isEmpty ? "none" : owners.joined(separator: " "))
    if entry.part.isShared {
      text += "\nTheir files change together: code of one refers to code of another."
    }
    for number in entry.needs {
      let paths = Set(texts: entry.changes.map(\.path))
        .intersection(Set(texts: entries[number].changes.map(\.path)))
      text += "\nApply patch \(number + 1) first"
      text += paths.min().map { ", which also changes \(Escaping.terminal($0.text))." } ?? "."
    }
    return text
  }
}
