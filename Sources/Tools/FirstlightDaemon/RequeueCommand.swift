import ArgumentParser
import Collector
import FirstlightModel
import Foundation

struct RequeueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requeue",
    abstract: "Tries again what was put aside: refused batches, unreadable recordings.",
    discussion: """
      firstlightd puts aside what it could not read and what its upstream refused, into \
      .firstlightd/quarantine in its spool, with the reasons beside it. When the cause is gone, stop the \
      daemon, run this, and start it again. What cannot be read still stays aside.

        firstlightd requeue --spool /var/spool/firstlight
      """)

  @Option(help: ArgumentHelp("The directory that programs record into.", valueName: "dir"))
  var spool: String

  func run() throws {
    let queued = try Requeue(spool: URL(fileURLWithPath: spool).path)
    for problem in queued.problems {
      FileHandle.standardError.write(Data("firstlightd: warning: \(problem)\n".utf8))
    }
    print(
      "queued again: \(queued.batches) batches with \(queued.traces) traces, "
        + "\(queued.recordings) recordings")
    if !queued.problems.isEmpty { throw ExitCode(Failure.Kind.data.rawValue) }
  }
}
