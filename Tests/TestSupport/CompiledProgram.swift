import Foundation
import Synchronization
import Testing

/// Programs that tests compile: once for each source and command.
package enum CompiledProgram {
  private final class Entry: Sendable {
    let folder = Mutex<URL?>(nil)
  }

  private static let entries = Mutex<[[String]: Entry]>([:])

  /// Compiles a program, or returns the folder where that was done before. The folder stays until the tests end,
  /// and nothing in it may change.
  /// - Parameters:
  ///   - files: the sources by name.
  ///   - command: the compiler's words, for a folder with the sources.
  package static func folder(
    of files: [String: String], _ command: (_ folder: String) -> [String]
  ) throws -> URL {
    let key = files.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } + command("")
    let entry = entries.withLock { entries in
      let entry = entries[key] ?? Entry()
      entries[key] = entry
      return entry
    }
    return try entry.folder.withLock { folder in
      if let folder { return folder }
      let new = try TemporaryDirectory.untilTheEnd()
      for (name, text) in files {
        try Data(text.utf8).write(to: new.appending(path: name))
      }
      try Command.check(command(new.path), in: new)
      folder = new
      return new
    }
  }
}
