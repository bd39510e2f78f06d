import Glibc
import SystemSupport

/// Finds the source files in a project's folder.
enum ProjectSources {
  private static let endings = [".swift", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm"]
  /// Extensions of files that no index covers.
  private static let otherEndings = [".h", ".hh", ".hpp", ".hxx", ".inc", ".rs", ".s", ".S"]
  /// Maximum depth of folders, in case links form a cycle.
  private static let deepest = 32

  /// - Parameters:
  ///   - isIndexed: whether there is an index, which also covers headers.
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
          // A package manifest is not part of the project's code.
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

  /// Whether the path is a folder, and not a link to one.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The modules of a package's library products according to its manifest, which other packages can import.
///
/// The manifest is parsed as text, not run: `swift package describe` takes a second and needs the
/// package's tools version. A list of targets computed by code is not found.
package enum LibraryProducts {
  /// - Parameter manifest: the text of `Package.swift`.
  /// - Returns: names of the modules.
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

  /// A target's module name: characters that Swift names cannot contain become underscores.
  private static func module(ofTarget name: Substring) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  private static func withoutComments(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return lines.map { line in
      line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
  }

  /// The texts after each occurrence of a mark.
  private static func pieces(of text: Substring, after mark: String) -> [Substring] {
    text.ranges(of: mark).map { text[$0.upperBound...] }
  }
}

/// Tracks the `#if` lines of a file, to find lines that a build may have excluded.
struct HiddenLines {
  /// The branches from an `#if` to its `#endif`.
  private struct Branches {
    /// Whether the current branch may be excluded.
    var isHidden: Bool
    /// Whether an earlier branch is certainly compiled.
    var isDecided: Bool
    /// Whether an earlier branch may be compiled.
    var isDoubtful: Bool
  }

  private let conditions: BuildConditions
  private var open: [Branches] = []

  init(_ conditions: BuildConditions) {
    self.conditions = conditions
  }

  /// Whether the current line may be excluded.
  var isHidden: Bool { open.contains(where: \.isHidden) }

  /// - Parameters:
  ///   - directive: `if`, `else` and so on.
  ///   - condition: the text after the directive.
  ///   - isGuard: whether this is a header's include guard.
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

  /// - Parameter condition: whether the branch is compiled if no earlier one is; nil if uncertain.
  private mutating func begin(_ condition: Bool?) {
    guard var branches = open.popLast() else { return }
    let isCompiled = condition == true && !branches.isDecided && !branches.isDoubtful
    branches.isHidden = !isCompiled
    branches.isDecided = branches.isDecided || isCompiled
    branches.isDoubtful = branches.isDoubtful || condition == nil
    open.append(branches)
  }
}
