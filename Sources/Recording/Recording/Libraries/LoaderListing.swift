import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// The libraries that a binary's own loader finds (ld.so(8), `--list`), by the names that need them.
///
/// In this mode the loaders of glibc and musl map the binary and its libraries, and run no code of theirs, with one
/// exception: libraries that the binary names as auditors (`DT_AUDIT`, `DT_DEPAUDIT`).
package enum LoaderListing {
  private static let machine = HostInfo.describe().architecture

  /// Nil if the loader lists nothing, or must not run: the binary needs no library, is for another machine, or
  /// names auditors or a loader that is not the system's.
  package static func paths(_ facts: BinaryFacts) -> [TextBytes: String]? {
    guard !facts.dynamic.needed.isEmpty, facts.architecture == machine,
      !facts.dynamic.needsAuditors,
      let loader = facts.interpreter ?? machineLoader, isOfSystem(loader)
    else { return nil }
    let file = AbsolutePath.of(facts.path)
    var text = list([loader, "--list", file])
    // Where a library is missing, glibc lists the others only in ldd's way, which musl does not know.
    if text == nil, BaseName.of(loader).begins(with: "ld-linux") {
      text = list([loader, file], with: ["LD_TRACE_LOADED_OBJECTS": "1"])
    }
    return text.map(parse)
  }

  private static func list(_ command: [String], with more: [TextBytes: String?] = [:]) -> String? {
    var environment = more
    for name: TextBytes in ["LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_WARN", "LD_BIND_NOW"] {
      environment.updateValue(nil, forKey: name)
    }
    guard let output = try? ProgramLog(), let errors = try? ProgramLog("/dev/null") else {
      return nil
    }
    let loader = ProgramCommand(command, environment: environment, output: output, log: errors)
    let text = (try? loader.run())?.exitStatus == 0 ? output.text : ""
    return text.isEmpty ? nil : text
  }

  /// The loader of this program, for libraries, which name none.
  private static var machineLoader: String? {
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    return loaders.first { $0.containsUTF8(machine.replacing(utf8: "_", with: "-")) }
  }

  /// Whether a file is a loader that only root can change: a binary may name any program.
  private static func isOfSystem(_ loader: String) -> Bool {
    var status = stat()
    return loader.begins(with: "/") && BaseName.of(loader).begins(with: "ld-")
      && stat(loader, &status) == 0 && status.st_uid == 0
      && status.st_mode & (S_IFMT | S_IWGRP | S_IWOTH) == S_IFREG
  }

  /// Lines such as `libc.so.6 => /lib/libc.so.6 (0x7f00)`, and `/lib/ld.so (0x7f00)` for a name with a folder.
  static func parse(_ text: String) -> [TextBytes: String] {
    var paths: [TextBytes: String] = [:]
    for line in text.split(at: "\n") {
      guard let entry = line.cutLast(at: " (0x")?.before.drop(any: "\t") else { continue }
      let (name, place) = entry.cut(at: " => ") ?? (entry, entry)
      let path = String(place)
      guard path.containsUTF8("/") else { continue }
      paths[name] = path
      paths[BaseName.of(path)] = paths[BaseName.of(path)] ?? path
    }
    return paths
  }
}
