import FirstlightModel
import SystemSupport

/// Headers of the system and of compilers, by their names without folders.
struct InstalledHeaders {
  private let paths: [Substring: [String]]

  init() {
    var paths: [Substring: [String]] = [:]
    for folder in ["/usr/include", "/usr/local/include", "/usr/lib/gcc"] {
      for path in ProjectSources.files(in: folder, endings: [".h"], most: 100_000) ?? [] {
        paths[path.split(separator: "/").last ?? "", default: []].append(path)
      }
    }
    self.paths = paths
  }

  /// Headers that need no library, so that compilers bring them (C17, 4.6).
  private static let freestanding: Set<Substring> = [
    "float.h", "iso646.h", "limits.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdnoreturn.h", "tgmath.h",
  ]

  func contains(_ name: Substring) -> Bool {
    paths[name] != nil || Self.freestanding.contains(name) || name.hasSuffix("intrin.h")
  }

  /// The names that occur in these headers, or in headers that they include.
  func known(_ names: Set<Substring>, in headers: Set<Substring>) -> Set<Substring> {
    var found: Set<Substring> = []
    var seen = headers
    var open = Array(headers)
    while let header = open.popLast(), found.count < names.count {
      for path in paths[header] ?? [] {
        guard let text = try? TextFile.read(path) else { continue }
        for line in text.sourceLines {
          if line.first == "#", line.containsUTF8("include"),
            let next = line.split(whereSeparator: { "<>\"/".contains($0) }).last(where: {
              $0.hasSuffix(".h")
            }), seen.insert(next).inserted
          {
            open.append(next)
          }
          guard line.first == "#" || line.contains("(") else { continue }
          found.formUnion(
            line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter(names.contains))
        }
      }
    }
    return found
  }
}
