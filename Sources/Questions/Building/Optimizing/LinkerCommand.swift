import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// The linker's command for the program, as a whole build ran it. Later links repeat it alone, since a build
/// command that begins with `make clean` would compile everything again.
///
/// Compilers look for `ld.lld` in COMPILER_PATH first. There, a script runs the linker that they would have found,
/// and notes the command.
final class LinkerCommand {
  private let folder: String
  /// The linker words of the last whole build.
  private var words: [String] = []
  private var noted: (folder: String, command: [String])?
  private var isForgotten = false

  /// - Parameter folder: a directory for the script and its notes, which need not exist.
  init(in folder: String) { self.folder = folder }

  private static let script = #"""
    #!/bin/sh
    # Runs the linker that the compiler would have found, and notes its command.
    compiler=$(readlink "/proc/$PPID/exe")
    linker=${compiler%/*}/ld.lld
    [ -x "$linker" ] || linker=$(command -v ld.lld) || {
      echo "ld.lld: not found on PATH" >&2
      exit 127
    }
    "$linker" "$@" || exit
    note=$(mktemp "${0%/*}/link-XXXXXX") && printf '%s\0' "$PWD" "$linker" "$@" >"$note"
    exit 0

    """#

  /// Variables for a whole build with these linker words, which is then noted.
  func environment(for words: [String]) throws(Failure) -> [TextBytes: String] {
    try? FileManager.default.removeItem(atPath: folder)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotCreate, "\(folder): cannot create this directory")
    }
    try ResultFile.write(Self.script, to: "\(folder)/ld.lld")
    chmod("\(folder)/ld.lld", 0o755)
    self.words = words
    let others = getenv("COMPILER_PATH").map { ":" + String(cString: $0) } ?? ""
    return ["COMPILER_PATH": folder + others]
  }

  /// Finds the command of the whole build that just ended, unless the build changed the linker's file afterwards.
  func find(for program: String) {
    noted = nil
    guard !isForgotten, let path = AbsolutePath.resolved(program),
      let product = FileTime.changed(program)
    else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.begins(with: "link-") {
      guard let note = FileTime.changed("\(folder)/\(name)"), product <= note,
        let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { continue }
      let fields = bytes.split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }.dropLast()
      guard let place = fields.first, let output = fields.firstIndex(where: { $0 == "-o" }),
        output + 1 < fields.endIndex,
        AbsolutePath.resolved(Self.path(fields[output + 1], in: place)) == path
      else { continue }
      noted = (place, Array(fields.dropFirst()))
    }
  }

  /// The command that links the program again with other words; nil if none is known.
  func repeated(with new: [String]) -> (folder: String, words: [String])? {
    guard let noted, let command = replaced(noted.command, by: new) else { return nil }
    return (noted.folder, command)
  }

  /// Makes all later links whole builds.
  func forget() { (noted, isForgotten) = (nil, true) }

  /// The command with other words in place of the earlier ones; nil if it has none of them.
  private func replaced(_ command: [String], by new: [String]) -> [String]? {
    var result: [String] = []
    var isReplaced = false
    var rest = command[...]
    while !rest.isEmpty {
      if rest.starts(with: words) {
        result += new
        rest = rest.dropFirst(words.count)
        isReplaced = true
      } else {
        result.append(rest.removeFirst())
      }
    }
    return isReplaced ? result : nil
  }

  private static func path(_ name: String, in folder: String) -> String {
    name.begins(with: "/") ? name : "\(folder)/\(name)"
  }
}
