import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Starts programs under the tracer.
package enum TracerStart {
  /// - Parameters:
  ///   - tracer: nil if there was not enough memory.
  ///   - streams: descriptors 0, 1, 2 of the program; nil for ours.
  /// - Throws: `Failure` of kind `notFound`, `notExecutable` (also for a program of another
  ///   machine, which the kernel would run in an emulator), `unavailable` or `system`.
  package static func start(
    _ tracer: OpaquePointer?, _ command: [String], _ environment: ProgramEnvironment,
    mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    guard let tracer else { throw Failure(.system, "no memory left") }
    guard ProcessTable.isOfOwnNamespace else {
      throw Failure(
        .unavailable, "the program cannot be traced: /proc is of another pid namespace",
        advice: "mount one here: unshare --mount-proc, or mount -t proc proc /proc")
    }
    if let foreign = Failure.foreignProgram(command[0]) { throw foreign }
    let environment = LeakSanitizer.environment(environment, of: command[0])
    var mask = mask
    let (result, error) = withCArguments(command) { arguments in
      environment.withPointers { variables in
        let result =
          if let streams {
            fl_tracer_start(tracer, arguments, variables, &mask, streams)
          } else {
            fl_tracer_start(tracer, arguments, variables, &mask, nil)
          }
        return (result, errno)
      }
    }
    switch result {
    case FL_TRACER_STARTED: return fl_tracer_pid(tracer)
    case FL_TRACER_NOT_ALLOWED: throw TracingRefusal.failure("cannot be traced", error: error)
    case FL_TRACER_NO_PROCESS:
      throw TracingRefusal.failure("cannot make a process", error: error)
    default: throw .cannotStart(command[0], error)
    }
  }
}
