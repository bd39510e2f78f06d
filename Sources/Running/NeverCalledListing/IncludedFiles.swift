import FirstlightModel

/// Which files of C include which others, by their names without folders: options of the compiler say where it looks
/// for them.
final class IncludedFiles {
  /// By name: the names of files that include it, and of those that it includes.
  private var includers: [Substring: Set<Substring>] = [:]
  private var included: [Substring: Set<Substring>] = [:]
  /// The headers that a file includes outside of all `#if`, by the file's name. Headers of libraries are left out.
  private var certain: [Substring: Set<Substring>] = [:]
  /// The names of files in any compiled unit.
  private var all: Set<Substring>?
  private var seen: [Substring: Set<Substring>] = [:]

  /// - Parameter texts: contents by path.
  init(_ texts: [String: String]) {
    var unclear: Set<Substring> = []
    var others = Set(texts.keys.lazy.map(Self.name).filter { !Self.isUnit($0) })
    for (path, text) in texts {
      // A header's include guard is a condition that holds.
      var depth = 0
      var isFirst = true
      for line in text.sourceLines where line.containsUTF8("#") {
        let words = line.drop { "# \t".contains($0) }
        if words.hasPrefix("if") {
          if !isFirst || !words.hasPrefix("ifndef") || Self.isUnit(Self.name(path)) { depth += 1 }
          isFirst = false
        } else if words.hasPrefix("endif") {
          depth = max(0, depth - 1)
        } else if words.hasPrefix("include") {
          if let name = Self.quoted(words) {
            add(name, to: Self.name(path))
            if depth == 0, !Self.isOfLibrary(words) {
              certain[Self.name(path), default: []].insert(name)
            }
          } else {
            unclear.insert(Self.name(path))
          }
        } else if words.hasPrefix("define"), let name = Self.quoted(words), name.contains(".") {
          others.insert(name)
        }
      }
    }
    // A macro may stand for any header, and for any file that a definition names.
    for includer in unclear { for name in others { add(name, to: includer) } }
  }

  private func add(_ name: Substring, to includer: Substring) {
    includers[name, default: []].insert(includer)
    included[includer, default: []].insert(name)
  }

  /// The last name of a path in quotes or angles.
  private static func quoted(_ line: Substring) -> Substring? {
    let parts = line.split { $0 == "\"" || $0 == "<" || $0 == ">" }.dropFirst()
    return parts.first?.split(separator: "/").last
  }

  /// Whether a directive includes `<a/b.h>`, or C++'s `<vector>`. Libraries cannot name the project's functions.
  private static func isOfLibrary(_ line: Substring) -> Bool {
    let header = line.drop { $0 != "\"" && $0 != "<" }.prefix { $0 != ">" }
    return header.first == "<" && (header.contains("/") || !header.contains("."))
  }

  private static func isUnit(_ name: Substring) -> Bool {
    [".c", ".cc", ".cpp", ".cxx"].contains(where: name.hasSuffix)
  }

  private static func name(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }

  /// Included files of any ending: lists, tables, templates.
  func others(in folder: String) -> [String] {
    ProjectSources.files(in: folder, endings: [""]) { includers[Self.name($0)] != nil }
  }

  /// The headers that files of the project include, by name.
  var headers: Set<Substring> { Set(includers.keys) }

  /// Whether no known file includes a header. An option of the compiler may (`-include`).
  func isHeaderOfNone(_ file: String) -> Bool {
    let name = Self.name(file)
    return name.hasSuffix(".h") && includers[name] == nil
  }

  /// Whether a file includes a header unconditionally that does not exist.
  ///
  /// - Parameter isThere: whether a header exists, by its name without folders.
  func lacksHeader(_ file: String, isThere: (Substring) -> Bool) -> Bool {
    certain[Self.name(file)]?.contains { !isThere($0) } ?? false
  }

  /// Whether a file is part of a compiled unit that has the code of another file.
  ///
  /// - Parameter units: the names of all units.
  func isCompiled(_ file: String, with other: String, units: Set<String>) -> Bool {
    let name = Self.name(other)
    if let known = seen[name] { return known.contains(Self.name(file)) }
    let found = Self.closure(
      Self.closure([name], includers).filter { units.contains(String($0)) }, included)
    seen[name] = found
    return found.contains(Self.name(file))
  }

  /// Whether a file is part of a compiled unit.
  func isCompiled(_ file: String, units: Set<String>) -> Bool {
    let found = all ?? Self.closure(Set(units.lazy.map { $0[...] }), included)
    all = found
    return found.contains(Self.name(file))
  }

  private static func closure(
    _ names: Set<Substring>, _ next: [Substring: Set<Substring>]
  ) -> Set<Substring> {
    var found = names
    var open = Array(names)
    while let name = open.popLast() {
      for other in next[name] ?? [] where found.insert(other).inserted { open.append(other) }
    }
    return found
  }
}
