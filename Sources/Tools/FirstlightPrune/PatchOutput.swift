import FirstlightModel
import Foundation
import Glibc
import NeverCalled
import ProcessControl
import Pruning
import Reports
import SystemSupport

/// Verifies a plan's patch, and writes it: to a file, standard output, or a folder of patches by owner.
struct PatchOutput {
  let options: PatchOptions
  let tree: VerificationTree?

  /// - Parameter nothing: the message if there are no candidates.
  func run(_ plan: PrunePlan, _ answer: NeverCalledAnswer, nothing: String) throws {
    for line in EvidenceDoubts.lines(answer.list) { Terminal.report("warning: \(line)") }
    let all = Set(plan.candidates.indices)
    let verified = try tree.map { try VerifiedPatch(plan, of: all, in: $0) }
    let patch = verified?.patch ?? plan.patch(of: all)
    let report = PruneReport(
      plan, patch, verified, refused: PruneCandidates.refused(answer))
    if options.byOwner {
      try writeParts(of: patch, plan, answer, report, nothing)
    } else {
      for line in report.lines(otherwise: nothing) { Terminal.report(line) }
      let commit = PatchRepository.Commit(message: "Patch", changes: patch.changes)
      try Self.write(
        patch.changes.isEmpty ? [] : PatchRepository([commit]).difference(), to: options.output)
    }
    let losses = answer.list.losses
    guard losses.isEmpty else {
      throw Failure(
        .lossy,
        "the recording is incomplete (\(LossText.text(losses))): changed functions may have run",
        advice: "see firstlight info, and record again")
    }
  }

  private static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    guard let path, path != "-" else {
      do throws(SystemError) { try FileContents.write(bytes, to: STDOUT_FILENO) } catch {
        throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
      }
      return
    }
    try ResultFile.write(bytes, to: path)
    Terminal.report("wrote \(path)" + (bytes.isEmpty ? ", which is empty" : ""))
  }

  // MARK: By owner

  private func writeParts(
    of patch: PrunePatch, _ plan: PrunePlan, _ answer: NeverCalledAnswer,
    _ report: PruneReport, _ nothing: String
  ) throws {
    let owners = try OwnersFile(options.owners, root: plan.root)
    let parts = OwnerParts(plan, patch, owners: owners.owners, maximumLines: options.maxLines)
    let verified = try tree.map { try VerifiedSeries(plan, parts, in: $0) }
    let series = verified?.series ?? PatchSeries(plan, parts.parts)
    var report = report
    report.furtherRuns = verified?.runs ?? 0
    for line in report.lines(otherwise: nothing) { Terminal.report(line) }
    if owners.path == nil {
      Terminal.report("there is no CODEOWNERS, so nobody owns the files: name one with --owners")
    }
    for reason in verified?.joined ?? [] { Terminal.report("  joined patches: \(reason)") }
    guard let references = answer.references, let folder = options.output else { return }
    try PatchFolder.make(folder)
    guard !series.entries.isEmpty else { return Terminal.report("wrote no patch") }
    let repository = GitRepository(at: plan.root)
    let evidence = OwnerMessages.Evidence(
      observation: answer.list.report.observation,
      references: ReferenceText(references: references, paths: SourcePaths(root: plan.root)),
      command: tree?.command,
      changed: ChangeDates(repository, plan.candidates(of: series)).date)
    let commits = series.entries.map {
      PatchRepository.Commit(
        message: OwnerMessages.text($0, of: series, plan, evidence), changes: $0.changes)
    }
    try PatchRepository(
      commits, author: repository.author ?? "firstlight <firstlight@localhost>",
      date: evidence.observation.endedAt
    ).writeMails(to: AbsolutePath.of(folder))
    // git am drops the carriage returns of mails otherwise, and finds no line of such a source.
    let hasReturns = series.entries.contains { entry in
      entry.changes.contains { $0.source.contains(UInt8(ascii: "\r")) }
    }
    let command = "git am \(hasReturns ? "--keep-cr " : "")\(folder)/*.patch"
    let count = CountText.text(series.entries.count, "patch", "patches")
    Terminal.report("wrote \(count): \(command)")
  }
}

/// The folder of a series.
enum PatchFolder {
  /// Throws a failure if the folder has patches, which `git am` would take with the new ones.
  static func check(_ folder: String) throws(Failure) {
    let names = (try? DirectoryListing.names(in: folder)) ?? []
    guard let old = names.filter({ $0.ends(with: ".patch") }).min() else { return }
    throw Failure(
      .cannotCreate, "\(folder): has patches already: \(old)",
      advice: "remove them, or name another folder")
  }

  static func make(_ folder: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch { throw Failure(.cannotCreate, "\(folder): cannot create this folder") }
  }
}
