import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import Foundation
import ProfileFile
import SystemSupport

struct UploadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Sends profiles to a firstlightd.",
    usage: "firstlight upload --to <url> [<options>] <file.flp | dir> ...",
    discussion: """
        firstlight upload app.flp --to https://collector.example:8443 \\
          --label version=2.1

      Profiles are sent with function numbers only, without names or sources. Send the names once \
      for each build with firstlight upload-symbols. A run that is sent twice with the same \
      labels counts once.

      FIRSTLIGHT_TOKEN holds a token for uploading. A firstlightd of yours on this machine, \
      started without --token-file, needs none.
      """)

  @Argument(
    help: ArgumentHelp("Profiles, or directories of profiles.", valueName: "file.flp | dir"),
    completion: .file(extensions: [ProfileFile.pathExtension]))
  var paths: [String]

  @Option(help: ArgumentHelp("The firstlightd to send to.", valueName: "url"))
  var to: String

  @OptionGroup var sending: SendingOptions

  func run() async throws {
    let labels = try sending.labels
    var sent = ProfileUpload(to: try FleetSource.client(url: to, authorities: sending.trust.ca))
    let profiles = try paths.flatMap { path throws(Failure) in try files(at: path) }
    for file in profiles {
      Terminal.progress("sending \(file)")
      for run in try ProfileFile.read(file).fleetStates(labels: labels) {
        try await sent.send(run)
      }
    }
    for reason in sent.refused.sorted() { Terminal.report("warning: refused: \(reason)") }
    if sent.early > 0 {
      Terminal.report(
        "warning: \(CountText.text(sent.early, "run")) not taken: by the clock of \(to) their day has not "
          + "begun; compare the clocks, or send them again later")
    }
    Terminal.report(
      "sent \(CountText.text(sent.added, "run")) to \(to)"
        + (sent.known > 0 ? " (\(CountText.number(sent.known)) already there)" : ""))
    if !sent.refused.isEmpty || sent.early > 0 {
      throw ExitCode(Failure.Kind.data.rawValue)
    }
  }

  private func files(at path: String) throws(Failure) -> [String] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Failure(.noInput, "\(path): no such file or directory")
    }
    guard isDirectory.boolValue else { return [path] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let profiles = names.filter { $0.ends(with: "." + ProfileFile.pathExtension) }.sorted()
    if profiles.isEmpty { throw Failure(.noInput, "\(path): contains no profile (*.flp)") }
    return profiles.map { "\(path)/\($0)" }
  }
}

/// Labels of runs, and authorities to trust, when runs are sent.
struct SendingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Label these runs; the key version is the program's version. Repeatable.",
      valueName: "k=v"))
  var label: [String] = []

  @OptionGroup var trust: TrustOption

  var labels: FleetLabels {
    get throws { try FleetLabels(texts: label) }
  }
}
