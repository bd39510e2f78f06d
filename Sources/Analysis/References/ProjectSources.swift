import Glibc
import SystemSupport

/// The source files of a project's folder.
enum ProjectSources {
  private static let endings = [".swift", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm"]
  /// Of what no index holds.
  private static let otherEndings = [".h", ".hh", ".hpp", ".hxx", ".inc", ".rs", ".s", ".S"]
  /// Folders within folders, against links that lead in a circle.
  private static let deepest = 32

  /// - Parameters:
  ///   - isIndexed: whether there is an index, which covers headers.
  ///   - isOwn: whether a file belongs to the project.
  static func files(
    in folder: String, isIndexed: Bool = true, where isOwn: (String) -> Bool
  ) -> [String] {
    let endings = isIndexed ? endings : endings + otherEndings
    var files: [String] = []
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for name in (try? DirectoryListing.names(in: path)) ?? [] where !name.hasPrefix(".") {
        let place = "\(path)/\(name)"
        if endings.contains(where: name.hasSuffix) {
          // A manifest is no code of the project.
          if isOwn(place), !name.hasPrefix("Package") || !name.hasSuffix(".swift") {
            files.append(place)
          }
        } else if depth < deepest, isFolder(place) {
          folders.append((place, depth + 1))
        }
      }
    }
    return files.sorted()
  }

  /// Whether it is a folder, and no link to one.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The targets of a package's library products, as its manifest says: what others can import.
///
/// The manifest is read as text, not run: `swift package describe` takes a second and needs the
/// package's tools version. A list of targets that code puts together is not found.
package enum LibraryProducts {
  /// - Parameter manifest: the text of `Package.swift`.
  /// - Returns: names of modules.
  package static func modules(_ manifest: String) -> Set<String> {
    let text = withoutComments(manifest)
    var modules: Set<String> = []
    for part in pieces(of: text[...], after: ".library(") {
      let product = part.prefix { $0 != ")" }
      guard let list = pieces(of: product, after: "targets:").first?.drop(while: { $0 != "[" })
      else { continue }
      let names = list.prefix { $0 != "]" }.split(
        separator: "\"", omittingEmptySubsequences: false)
      for place in stride(from: 1, to: names.count, by: 2) {
        modules.insert(module(ofTarget: names[place]))
      }
    }
    return modules
  }

  /// A target's module: letters that Swift's names cannot hold are underscores.
  private static func module(ofTarget name: Substring) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  private static func withoutComments(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return lines.map { line in
      line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
  }

  /// What follows each place of a mark.
  private static func pieces(of text: Substring, after mark: String) -> [Substring] {
    text.ranges(of: mark).map { text[$0.upperBound...] }
  }
}

/// Follows the `#if` lines of a file: which of its lines a build may have left out.
struct HiddenLines {
  /// One `#if` to its `#endif`.
  private struct Branches {
    /// Whether the branch that is read may be left out.
    var isHidden: Bool
    /// Whether an earlier branch is compiled for certain.
    var isDecided: Bool
    /// Whether an earlier branch may be compiled.
    var isDoubtful: Bool
  }

  private let conditions: BuildConditions
  private var open: [Branches] = []

  init(_ conditions: BuildConditions) {
    self.conditions = conditions
  }

  /// Whether a line at this place may be left out.
  var isHidden: Bool { open.contains(where: \.isHidden) }

  /// - Parameters:
  ///   - directive: `if`, `else` and so on.
  ///   - condition: what stands behind it.
  ///   - isGuard: whether it keeps a header from being read twice.
  mutating func read(_ directive: Substring, _ condition: Substring, isGuard: Bool = false) {
    switch directive {
    case "if", "ifdef", "ifndef":
      open.append(Branches(isHidden: false, isDecided: false, isDoubtful: false))
      begin(isGuard ? true : directive == "if" ? conditions.value(of: condition) : nil)
    case "elseif", "elif": begin(conditions.value(of: condition))
    case "else": begin(true)
    case "endif": _ = open.popLast()
    default: break
    }
  }

  /// - Parameter condition: whether the branch is compiled if no earlier one is; nil: not certain.
  private mutating func begin(_ condition: Bool?) {
    guard var branches = open.popLast() else { return }
    let isCompiled = condition == true && !branches.isDecided && !branches.isDoubtful
    branches.isHidden = !isCompiled
    branches.isDecided = branches.isDecided || isCompiled
    branches.isDoubtful = branches.isDoubtful || condition == nil
    open.append(branches)
  }
}
