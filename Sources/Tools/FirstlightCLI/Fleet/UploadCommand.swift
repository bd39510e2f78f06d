import ArgumentParser
import FirstlightModel
import FleetAPI
import FleetAccess
import FleetModel
import Foundation
import ProfileFile
import ReportFormats
import SystemSupport
import TextFormatting

struct UploadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Sends profiles to a firstlightd.",
    discussion: """
      What is sent is numbers of functions, not names or sources: name the binaries too, with \
      firstlight upload-symbols, once for each build. A run that is there already counts once, so \
      sending it again is no harm.

        firstlight upload app.flp --to https://collector.example:8443 \\
          --label version=2.1

      A token for uploading is taken from FIRSTLIGHT_TOKEN. A firstlightd that you run on this \
      machine without a token file needs none set.
      """)

  @Argument(help: ArgumentHelp("A profile, or a directory of them.", valueName: "file.flp | dir"))
  var path: String

  @Option(help: ArgumentHelp("The firstlightd to send to.", valueName: "url"))
  var to: String

  @Option(
    help: ArgumentHelp(
      "What these runs are to be told apart by; the key version is the program's. May be repeated.",
      valueName: "k=v"))
  var label: [String] = []

  @Option(
    help: ArgumentHelp(
      "Certificates (PEM) to trust instead of the system's.", valueName: "file.pem"))
  var ca: String?

  func run() async throws {
    let labels = try FleetLabels(pairs)
    let client = try FleetSource.client(url: to, authorities: ca)
    var total = IngestReceipt()
    for file in try files() {
      Terminal.progress("sending \(file)")
      let traces = try ProfileFile.read(file).fleetTraces(labels: labels)
      do throws(UploadError) { total.add(try await client.upload(traces)) } catch {
        throw error.failure
      }
    }
    for refused in total.refused { Terminal.report("warning: refused: \(refused.reason)") }
    Terminal.report(
      "sent \(CountText.text(total.added, "trace")) to \(to)"
        + (total.known > 0 ? " (\(CountText.number(total.known)) were there already)" : ""))
    if !total.refused.isEmpty { throw ExitCode(Failure.Kind.data.rawValue) }
  }

  private var pairs: [String: String] {
    get throws {
      var pairs: [String: String] = [:]
      for text in label {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
          throw ValidationError("--label \(text) is not KEY=VALUE.")
        }
        pairs[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      return pairs
    }
  }

  private func files() throws(Failure) -> [String] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Failure(.noInput, "\(path): there is no such file or directory")
    }
    guard isDirectory.boolValue else { return [path] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let profiles = names.filter { $0.hasSuffix("." + ProfileFile.pathExtension) }.sorted()
    if profiles.isEmpty { throw Failure(.noInput, "\(path): holds no profile (*.flp)") }
    return profiles.map { "\(path)/\($0)" }
  }
}

struct UploadSymbolsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload-symbols",
    abstract: "Sends binaries or debug files to a firstlightd, for the names of functions.",
    discussion: """
      A token for uploading is taken from FIRSTLIGHT_TOKEN. A firstlightd that you run on this \
      machine without a token file needs none set.
      """)

  @Argument(help: ArgumentHelp("The very files that run.", valueName: "binary"))
  var files: [String]

  @Option(help: ArgumentHelp("The firstlightd to send to.", valueName: "url"))
  var to: String

  @Option(
    help: ArgumentHelp(
      "Certificates (PEM) to trust instead of the system's.", valueName: "file.pem"))
  var ca: String?

  func run() async throws {
    let client = try FleetSource.client(url: to, authorities: ca)
    for file in files {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw Failure(.noInput, "\(file): cannot be read")
      }
      Terminal.progress("sending \(file)")
      let name = BaseName.of(file)
      let symbols = try await client.uploadSymbols(Array(data), name: name)
      Terminal.report(
        "\(file): \(CountText.text(symbols.functions, "function")) of build "
          + "\(BuildID(symbols.buildID)?.short ?? symbols.buildID) named"
          + (symbols.hasDebugInfo ? "" : ", without files and lines: it has no debug information"))
    }
  }
}
