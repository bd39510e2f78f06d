import ArgumentParser
import Collector
import FirstlightModel
import Foundation

struct RequeueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requeue",
    abstract: "Tries again what was put aside: refused batches, unreadable recordings.",
    discussion: """
      firstlightd puts aside what it could not read, and batches and traces that its store or upstream \
      refused, into .firstlightd/quarantine in its spool, with the reasons beside them. Traces are refused if \
      they contradict what is known of a build: firstlight fleet forget removes a forged one. When the cause is \
      gone, stop the daemon, run this, and start it again. What cannot be read still stays aside. The table \
      audit of the spool's ledger notes what was tried again.

        firstlightd requeue --spool /var/spool/firstlight --dry-run
        firstlightd requeue --spool /var/spool/firstlight
      """)

  @Option(help: ArgumentHelp("The directory that programs record into.", valueName: "dir"))
  var spool: String

  @Flag(help: "List what was put aside, with the reasons, and change nothing. The daemon may run.")
  var dryRun = false

  func run() throws {
    let spool = URL(fileURLWithPath: spool).path
    if dryRun {
      let items = SetAside.list(of: spool)
      return print(
        items.isEmpty ? "nothing was put aside\n" : SetAside.text(items), terminator: "")
    }
    let queued = try Requeue(spool: spool)
    for problem in queued.problems {
      FileHandle.standardError.write(Data("firstlightd: warning: \(problem)\n".utf8))
    }
    print(
      "queued again: \(queued.batches) batches with \(queued.traces) traces, "
        + "\(queued.recordings) recordings")
    if !queued.problems.isEmpty { throw ExitCode(Failure.Kind.data.rawValue) }
  }
}
