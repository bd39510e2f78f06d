import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// Starts a program that records itself, or that is not recorded.
package struct PlainLaunch: ProgramLaunch {
  /// The program's standard streams; nil for ours.
  package let log: ProgramLog?
  private var child: ChildProcess?
  private var stop: Int32?

  package init(log: ProgramLog? = nil) { self.log = log }

  package mutating func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    let input = log == nil ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if input >= 0 { close(input) } }
    do throws(ChildProcess.Refusal) {
      let child = try ChildProcess(
        command, environment: environment, mask: mask,
        streams: streams ?? log.map { [input, $0.descriptor, $0.descriptor] },
        group: FL_APART_GROUP)
      self.child = child
      return child.pid
    } catch { throw .cannotStart(command[0], error.error) }
  }

  package mutating func end() -> Int32? {
    while let status = child?.change(stops: true)?.status {
      guard status.isStop else { return status.raw }
      stop = status.stopSignal
    }
    return nil
  }

  package mutating func takeStop() -> Int32? {
    defer { stop = nil }
    return stop
  }

  package func finish() {}
}
