import FirstlightModel
import ProcessControl
import SystemSupport

/// Runs clang to find the extents of functions.
///
/// Uses the JSON output of the user's compiler: a libclang would have to match it, and its C interface passes
/// structures by value. `-ast-dump-filter` excludes the headers' other declarations from the output. It takes one
/// text, so macros on the command line give all wanted functions of a file a common prefix.
final class ClangReader {
  private let commands: CompileCommands
  /// By file: the names that clang was asked for, and what it found.
  private var known: [TextBytes: (names: Set<TextBytes>, functions: [ClangFunction])] = [:]

  init(root: String) { commands = CompileCommands(in: root) }

  /// The declarations of some names in a file and its headers.
  ///
  /// - Throws: `Failure` of kind `unavailable` if there is no clang.
  func functions(named names: Set<TextBytes>, in file: String) throws(Failure) -> [ClangFunction] {
    var found = known[file] ?? (names: [], functions: [])
    let missing = names.subtracting(found.names)
    if !missing.isEmpty {
      do throws(Failure) { _ = try ProgramPath.find("clang") } catch {
        throw Failure(.unavailable, "clang is not on PATH")
      }
      found.names.formUnion(missing)
      found.functions += ClangFunction.all(inDump: try dump(missing, file))
      known[file] = found
    }
    return found.functions.filter { names.contains($0.name) }
  }

  /// Errors, such as a missing header, are not fatal: clang outputs all that it could parse.
  private func dump(_ names: Set<TextBytes>, _ file: String) throws(Failure) -> String {
    let command = commands.command(for: file)
    let words =
      ["clang"] + command.flags
      + names.sorted().map(\.text).map { "-D\($0)=\(ClangFunction.prefix)\($0)" }
      + [
        "-fsyntax-only", "-w", "-ferror-limit=0", "-Xclang", "-ast-dump=json", "-Xclang",
        "-ast-dump-filter=\(ClangFunction.prefix)", "--", file,
      ]
    let dump = try ProgramLog()
    try ProgramCommand(words, in: command.folder, output: dump, log: try ProgramLog("/dev/null"))
      .run()
    return dump.text
  }
}
