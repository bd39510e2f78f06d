import FirstlightModel

/// A C function's linker name, to be found in an index. Functions of C++ are found by their place.
struct ClangSymbolName {
  private let name: String

  init(_ name: String) {
    // `.part.0`, `.cold`, `.llvm.1234`: what optimizers add.
    self.name = name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// - Parameter file: where it is declared: functions that a file keeps for itself are named with it.
  func find(in index: ReferenceIndex, file: String?) -> ReferenceIndex.Symbol? {
    if let file,
      let symbol = index.symbol(usr: "c:\(BaseName.of(file))@F@\(name)"),
      index.definitions(of: symbol).contains(where: { index.files[$0.file].path == file })
    {
      return symbol
    }
    guard let symbol = index.symbol(usr: "c:@F@\(name)"), index.isDefined(symbol) else {
      return nil
    }
    return symbol
  }
}

/// A linker's name of a function, as an index made from linked binaries holds it.
package enum LinkerName {
  private static let suffixes: Set<Substring> = [
    "cold", "part", "constprop", "isra", "llvm", "lto_priv", "localalias", "clone", "resume",
  ]

  /// The name without what optimizers add: `.part.0`, `.cold`, `.llvm.1234`. Names of Rust have dots of
  /// their own.
  package static func base(_ name: String) -> String {
    var place = name.startIndex
    while let dot = name[place...].firstIndex(of: ".") {
      let word = name[name.index(after: dot)...].prefix { $0 != "." }
      let isNumber = !word.isEmpty && word.allSatisfy(\.isNumber)
      if suffixes.contains(word) || isNumber { return String(name[..<dot]) }
      place = name.index(after: dot)
    }
    return name
  }

  package static func usr(_ name: String) -> String { "l:" + base(name) }
}

/// Paths as compilers write them, in one form: indexes and debug information name one file differently.
enum SourcePath {
  /// Without `.`, `..` and doubled slashes. Symbolic links are not followed: the file may be gone.
  static func normal(_ path: String) -> String {
    // Few do, and an index of a large build names a hundred thousand.
    let isNormal =
      !path.containsUTF8("/./") && !path.containsUTF8("/../") && !path.containsUTF8("//")
    guard path.begins(with: "/"), !isNormal else { return path }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
