import DeadCode
import FirstlightModel
import ReportFormats
import TextFormatting

/// The patches of a series as mails that `git am` takes, with the evidence for each change.
package struct OwnerMails {
  /// What is known about all changes.
  package struct Evidence {
    package var observation: Observation
    package var references: ReferenceText
    /// "Name <address>".
    package var author: String
    /// The command that every patch passed; nil: nothing was built.
    package var command: String?
    /// When a line of a file was last changed, in seconds since 1970; nil: unknown.
    package var changed: (_ file: String, _ line: Int) -> Double?

    package init(
      observation: Observation, references: ReferenceText, author: String, command: String?,
      changed: @escaping (_ file: String, _ line: Int) -> Double?
    ) {
      self.observation = observation
      self.references = references
      self.author = author
      self.command = command
      self.changed = changed
    }
  }

  /// Names of the files, in the order in which `git am` takes them, and their contents.
  package private(set) var files: [(name: String, bytes: [UInt8])] = []

  package init(_ plan: some SourcePlan, _ series: PatchSeries, _ evidence: Evidence) {
    let entries = series.entries
    for (number, entry) in entries.enumerated() {
      let subject = plan.subject(of: entry.changed)
      let body = [
        plan.reason(for: entry.changed),
        Self.recordings(evidence.observation) + "\n"
          + Self.verification(entry, entries.count, evidence.command),
        entry.changed.map { Self.text(plan, $0, evidence) }
          .joined(separator: "\n"),
        Self.owners(entry, entries),
      ].joined(separator: "\n\n")
      let mail = MailPatch(
        author: evidence.author, date: evidence.observation.endedAt, subject: subject,
        number: number + 1, count: entries.count, body: body, changes: entry.changes)
      files.append(
        (Self.name(number + 1, entry.part.owners, subject), mail.bytes(version: ToolVersion.text)))
    }
  }

  // MARK: Paragraphs

  private static func recordings(_ observation: Observation) -> String {
    let hosts =
      observation.hosts.isEmpty ? "" : " on \(CountText.text(observation.hosts.count, "host"))"
    let builds = CountText.text(observation.versions.count, "build")
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
    let line = PrintableText.of(command)
    return "Verified: with \(with)\(count > 1 ? ", and with all \(count)" : ""), this passes:\n"
      + "  \(line)"
  }

  private static func text(
    _ plan: some SourcePlan, _ number: Int, _ evidence: Evidence
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
    return PrintableText.of("  \(candidate.name)  \(path):\(place.target.line)") + "\n"
      + PrintableText.of("    " + facts.joined(separator: "; "))
  }

  private static func owners(_ entry: PatchSeries.Entry, _ entries: [PatchSeries.Entry]) -> String {
    let owners = entry.part.owners
    var text = "Owners: " + (owners.isEmpty ? "none" : owners.joined(separator: " "))
    if entry.part.isShared {
      text += "\nTheir files change together: code of one refers to code of another."
    }
    for number in entry.needs {
      let paths = Set(entry.changes.map(\.path)).intersection(entries[number].changes.map(\.path))
      text += "\nApply patch \(number + 1) first"
      text += paths.min().map { ", which also changes \(PrintableText.of($0))." } ?? "."
    }
    return text
  }

  // MARK: Names

  /// "0001-shop-team-Remove-3-functions-that-never-ran.patch".
  private static func name(_ number: Int, _ owners: [String], _ subject: String) -> String {
    let digits = String(number)
    let place = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let owner = plain(owners.isEmpty ? "no owner" : owners.joined(separator: " "))
    return "\(place)-\(owner.prefix(40))-\(plain(subject).prefix(52)).patch"
  }

  private static func plain(_ text: String) -> String {
    text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
      .joined(separator: "-")
  }
}
