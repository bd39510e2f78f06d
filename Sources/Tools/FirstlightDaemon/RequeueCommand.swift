import ArgumentParser
import Collector
import FirstlightModel
import Foundation
import TextFormatting

struct RequeueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requeue",
    abstract: "Retries quarantined recordings.",
    discussion: """
        firstlightd requeue --spool /var/spool/firstlight --dry-run
        firstlightd requeue --spool /var/spool/firstlight

      firstlightd moves unreadable recordings to .firstlightd/quarantine in the spool, each with \
      its reason.

      Fix the cause, stop the daemon, run this command, and start the daemon again. Data that is \
      still unreadable stays in quarantine. The table audit of the spool's ledger records each \
      retry.
      """)

  @Option(
    help: ArgumentHelp("Directory that programs record into.", valueName: "dir"),
    completion: .directory)
  var spool: String

  @Flag(help: "List quarantined data with reasons, without changes. The daemon may be running.")
  var dryRun = false

  func run() throws {
    let spool = URL(fileURLWithPath: spool).path
    if dryRun {
      let items = SetAside.list(of: spool)
      return print(
        items.isEmpty ? "the quarantine is empty\n" : SetAside.text(items), terminator: "")
    }
    let queued = try Requeue(spool: spool)
    for problem in queued.problems {
      FileHandle.standardError.write(Data("firstlightd: warning: \(problem)\n".utf8))
    }
    print(
      "requeued \(CountText.text(queued.recordings, "recording")); next: start firstlightd")
    if !queued.problems.isEmpty { throw ExitCode(Failure.Kind.data.rawValue) }
  }
}
