import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import Foundation
import ProfileFile
import SystemSupport

struct UploadSymbolsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload-symbols",
    abstract: "Sends binaries or debug files to a firstlightd, for function names.",
    discussion: """
        firstlight upload-symbols --to https://collector.example:8443 \\
          .build-firstlight/release/app

      Send each build once, unstripped or its debug file. A file that contradicts the functions that \
      the build has already is refused.

      FIRSTLIGHT_TOKEN holds a token of the role symbols or admin. A firstlightd of yours on this \
      machine, started without --token-file, needs none.
      """)

  @Argument(
    help: ArgumentHelp(
      "The binaries that run, of the same build id, or their debug files.", valueName: "binary"),
    completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("The firstlightd to send to.", valueName: "url"))
  var to: String

  @OptionGroup var trust: TrustOption

  func run() async throws {
    let client = try FleetSource.client(url: to, authorities: trust.ca)
    for file in files {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw Failure(.noInput, "\(file): cannot be read")
      }
      Terminal.progress("sending \(file)")
      let name = BaseName.of(file)
      let symbols = try await client.uploadSymbols(Array(data), name: name)
      guard symbols.functions > 0 else {
        Terminal.report(
          "sent \(file): none of its functions has a guard or entry hook; build it with the flags of "
            + "firstlight flags")
        continue
      }
      Terminal.report(
        "sent \(file): named \(CountText.text(symbols.functions, "function")) of build "
          + (BuildID(symbols.buildID)?.short ?? symbols.buildID)
          + (symbols.hasDebugInfo ? "" : ", without files and lines (no debug information)"))
    }
  }
}
