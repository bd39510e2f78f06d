import Foundation
import TestSupport
import Testing

/// A run of a program without guards, watched through breakpoints.
struct Watched {
  var result: CommandResult
  var profile: String

  /// The order of first calls, without what the C library's start files add.
  func order(_ options: String...) throws -> [String] {
    try Answer.order([profile] + options).filter { !Self.startFiles.contains($0) }
  }

  static let startFiles: Set = [
    "_start", "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones",
    "__do_global_dtors_aux", "_dl_relocate_static_pie", "__do_init", "__do_fini",
  ]
}

extension Fixture {
  /// What makes a plain build known by a build id.
  static let plain = ["-fuse-ld=lld", "-Wl,--build-id=sha1"]
  static let plainSwift = ["-use-ld=lld", "-Xlinker", "--build-id=sha1"]

  /// Records the program as it is; it may end as it likes.
  func watch(_ arguments: String..., options: [String] = []) throws -> Watched {
    try Watched.run([executable] + arguments, options: options, in: directory)
  }

  /// Runs the program bare, then watched: for its caller there is no difference.
  func watchUnnoticed(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Watched {
    let bare = try Command.run([executable] + arguments)
    let watched = try Watched.run([executable] + arguments, in: directory)
    #expect(watched.result.output == bare.output, sourceLocation: sourceLocation)
    #expect(watched.result.status == bare.status, sourceLocation: sourceLocation)
    #expect(watched.result.signalled == bare.signalled, sourceLocation: sourceLocation)
    return watched
  }
}

extension Watched {
  /// Before a command that leaves a daemon: a test waits for the end of all that it hands down.
  static let handingDownNothing = [
    "bash", "-c",
    #"for f in /proc/$$/fd/*; do n=${f##*/}; ((n < 3)) || eval "exec $n>&-"; done; exec "$@""#,
    "bash",
  ]

  static func run(
    _ command: [String], options: [String] = [], in directory: TemporaryDirectory
  ) throws -> Watched {
    let profile = directory.path("\(UUID().uuidString).flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile] + options + ["--"] + command)
    return Watched(result: result, profile: profile)
  }
}
