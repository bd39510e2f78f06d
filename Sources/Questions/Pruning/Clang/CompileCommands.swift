import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport

/// The compiler arguments of a project's files, from `compile_commands.json` (CMake, bear, meson).
struct CompileCommands {
  private struct Entry: Decodable {
    var directory: String
    var file: String
    var arguments: [String]?
    var command: String?
  }

  /// A compiler's arguments for a file, and their working directory.
  struct Command: Hashable {
    var folder: String
    var flags: [String]
  }

  private var commands: [TextBytes: Command] = [:]
  private let root: String

  /// Reads the file in a project's folder and those in its subfolders.
  init(in root: String) {
    self.root = root
    let folders = [root] + ((try? DirectoryListing.names(in: root)) ?? []).map { "\(root)/\($0)" }
    for folder in folders + ["\(root)/.build-firstlight/cmake"] {
      guard let bytes = try? FileContents.read("\(folder)/compile_commands.json"),
        let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes))
      else { continue }
      for entry in entries {
        let file = entry.file.begins(with: "/") ? entry.file : "\(entry.directory)/\(entry.file)"
        let path = AbsolutePath.resolved(file) ?? file
        let words = entry.arguments ?? Self.words(entry.command ?? "")
        commands[path] = Command(folder: entry.directory, flags: Self.flags(words))
      }
    }
  }

  /// The command for a file, or one with the usual header folders if there is none.
  func command(for file: String) -> Command {
    if let known = commands[AbsolutePath.resolved(file) ?? file] { return known }
    let own = AbsolutePath.folder(of: file) ?? root
    return Command(
      folder: root,
      flags: [own, "\(own)/include", root, "\(root)/include", "\(root)/src"].map {
        "-I\($0)"
      })
  }

  /// The arguments for parsing: macros, header folders, the language.
  private static func flags(_ words: [String]) -> [String] {
    var flags: [String] = []
    var takesNext = false
    for word in words.dropFirst() {
      if takesNext {
        flags.append(word)
        takesNext = false
      } else if ["-I", "-D", "-U", "-include", "-isystem", "-iquote", "-x", "-idirafter"].contains(
        word)
      {
        flags.append(word)
        takesNext = true
      } else if ["-I", "-D", "-U", "-std=", "-isystem", "-iquote", "-f", "-m", "--sysroot"]
        .contains(where: { word.begins(with: $0) })
      {
        flags.append(word)
      }
    }
    // These need a runtime or files of the build.
    return flags.filter { !$0.begins(with: "-fsanitize") && !$0.begins(with: "-fprofile") }
  }

  /// Splits a shell's command line into words.
  static func words(_ command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in command.unicodeScalars {
      if isEscaped {
        word = (word ?? "") + String(scalar)
        isEscaped = false
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if scalar == open { quote = nil } else { word = (word ?? "") + String(scalar) }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
        word = word ?? ""
      } else if scalar == " " {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(scalar)
      }
    }
    return word.map { words + [$0] } ?? words
  }
}
