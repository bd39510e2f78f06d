import DeclarationRemoval
import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport
import TextFormatting

/// Asks clang where functions begin and end.
///
/// Its JSON comes from the compiler that a user has; libclang would have to fit it, and its C
/// interface passes structures by value. One call for each function: `-ast-dump-filter` keeps what
/// headers declare out of the answer.
final class ClangReader {
  private let commands: CompileCommands
  private var known: [String: [ClangFunction]] = [:]

  init(root: String) { commands = CompileCommands(in: root) }

  /// What a file and its headers declare under a name.
  ///
  /// - Throws: `Failure` of kind `unavailable` if there is no clang.
  func functions(named name: String, in file: String) throws(Failure) -> [ClangFunction] {
    let key = "\(name)\0\(file)"
    if let known = known[key] { return known }
    do throws(Failure) { _ = try ProgramPath.find("clang") } catch {
      throw Failure(.unavailable, "clang is not on PATH")
    }
    let functions = ClangFunction.all(inDump: try dump(name, file)).filter { $0.name == name }
    known[key] = functions
    return functions
  }

  /// Errors, as of a missing header, end nothing: clang says what it knows.
  private func dump(_ name: String, _ file: String) throws(Failure) -> String {
    let command = commands.command(for: file)
    let words =
      ["clang"] + command.flags
      + [
        "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=\(name)",
        "--", file,
      ]
    let path =
      FileManager.default.temporaryDirectory.path + "/firstlight-clang-\(UUID().uuidString)"
    defer { unlink(path) }
    let text = words.map(ShellText.quoted).joined(separator: " ")
    let place = ShellText.quoted(command.folder)
    let shell = "cd \(place) && exec \(text) >\(ShellText.quoted(path)) 2>/dev/null"
    let session = try ProcessSession(["/bin/sh", "-c", shell], log: try ProgramLog("/dev/null"))
    session.wait()
    return (try? TextFile.read(path)) ?? ""
  }
}
