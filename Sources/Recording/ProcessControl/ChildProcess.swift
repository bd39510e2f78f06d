import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program that we started. Its signal actions and its limit of descriptors are those that our caller gave us.
package struct ChildProcess: Sendable {
  package let pid: pid_t
  /// CLOCK_MONOTONIC before the start, seconds.
  let startedAt: Double

  /// The refusal of a start.
  struct Refusal: Error {
    let error: Int32
    /// Whether the system denies tracing.
    let isOfTracing: Bool
  }

  /// - Parameters:
  ///   - program: the file to execute; nil for the command's first word, looked up on PATH.
  ///   - folder: its working directory; nil for ours.
  ///   - mask: the signals that it starts with blocked; nil for none.
  ///   - streams: its descriptors 0, 1, 2; nil for ours.
  ///   - diesWithUs: whether it is killed when the calling thread ends.
  ///   - traced: whether to stop it right after exec.
  init(
    _ command: [String], program: String? = nil, environment: ProgramEnvironment,
    in folder: String? = nil, mask: sigset_t? = nil, streams: [Int32]? = nil,
    group: fl_launch_group = FL_SAME_GROUP,
    diesWithUs: Bool = false, traced: Bool = false
  ) throws(Refusal) {
    var none = sigset_t()
    sigemptyset(&none)
    var child = pid_t()
    var failed = FL_LAUNCH_START
    var started = 0.0
    let directory = folder.map { Array($0.utf8CString) }
    let leader = group == FL_APART_GROUP ? fl_lead_group() : 0
    defer { fl_reap_leader(leader) }
    let error = (program ?? command[0]).withCString { program in
      withCArguments(command) { words in
        environment.withPointers { variables in
          (streams ?? []).withUnsafeBufferPointer { files in
            (directory ?? []).withUnsafeBufferPointer { directory in
              var launch = fl_launch(
                program: program, arguments: words, environment: variables,
                directory: directory.isEmpty ? nil : directory.baseAddress,
                streams: streams == nil ? nil : files.baseAddress, mask: mask ?? none, group: group,
                leader: leader,
                dies_with_us: diesWithUs, traced: traced)
              // Copying arguments and variables is no part of the program's time.
              started = Clock.monotonic()
              return fl_launch_program(&launch, &child, &failed)
            }
          }
        }
      }
    }
    guard error == 0 else {
      throw Refusal(error: error, isOfTracing: failed == FL_LAUNCH_TRACE)
    }
    pid = child
    startedAt = started
  }

  /// Sends a signal to a process's group, unless that is ours or of a process that has ended.
  package static func signalGroup(of process: pid_t, _ signal: Int32) {
    let group = getpgid(process)
    if group > 1, group != getpgrp() { kill(-group, signal) }
  }

  /// The program's end, or its stop, with the resources that it has used; nil if there is nothing new.
  ///
  /// - Parameters:
  ///   - wait: whether to wait for one.
  ///   - stops: whether stops count.
  package func change(
    wait: Bool = false, stops: Bool = false
  ) -> (status: WaitStatus, usage: rusage)? {
    var status: Int32 = 0
    var usage = rusage()
    while true {
      let found = wait4(pid, &status, (wait ? 0 : WNOHANG) | (stops ? WUNTRACED : 0), &usage)
      if found < 0, errno == EINTR { continue }
      return found == pid ? (WaitStatus(status), usage) : nil
    }
  }
}
