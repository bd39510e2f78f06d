import FirstlightModel
import SystemSupport

/// Reads a repository through the user's git.
package struct GitRepository {
  let folder: String

  /// - Parameter folder: an absolute path in the repository.
  package init(at folder: String) { self.folder = folder }

  /// Name and address of the author, if configured: "Name <address>".
  package var author: String? {
    // Without the option git makes up an address from the machine's name.
    let text = output(["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"])
    return text?.cut(at: ">").map { $0.before + ">" }
  }

  /// When lines were last changed, in seconds since 1970, as `git blame` shows it. Lines that are not
  /// committed are left out.
  ///
  /// - Parameter file: an absolute path.
  package func changes(of lines: Set<Int>, in file: String) -> [Int: Double] {
    guard !lines.isEmpty else { return [:] }
    // A command line has an end: for many lines, the whole file is read.
    let ranges = lines.count > 2000 ? [] : lines.sorted().flatMap { ["-L", "\($0),\($0)"] }
    guard
      let text = output(["blame", "--no-textconv", "--line-porcelain"] + ranges + ["--", file])
    else {
      return [:]
    }
    var times: [Int: Double] = [:]
    var line: Int?
    for row in text.lines where !row.begins(with: "\t") {
      let words = row.split(at: " ")
      if words.count >= 3, words[0].count >= 40, let number = Int(words[2]) {
        line = words[0].allSatisfy { $0 == "0" } ? nil : number
      } else if words.first == "author-time", words.count == 2, let line {
        times[line] = Double(words[1])
      }
    }
    return times
  }

  /// Nil if git is missing or fails.
  private func output(_ arguments: [String]) -> String? {
    guard let output = try? ProgramLog(), let errors = try? ProgramLog("/dev/null"),
      let git = try? Git.inRepository(of: folder),
      (try? git.command(arguments, output: output, log: errors).run())?.exitStatus == 0
    else { return nil }
    return output.text
  }
}
