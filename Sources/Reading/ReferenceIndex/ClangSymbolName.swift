import FirstlightModel

/// Finds a C function in an index by its linker name. Functions of C++ are found by their place.
struct ClangSymbolName {
  private let name: String

  init(_ name: String) {
    // Removes optimizers' suffixes: `.part.0`, `.cold`, `.llvm.1234`.
    self.name = name.firstIndex(ofUTF8: ".").map { String(name[..<$0]) } ?? name
  }

  /// - Parameter file: the declaring file, which is part of the name of file-local functions.
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

/// The linker names of functions in an index from linked binaries.
enum LinkerName {
  static func usr(_ name: String) -> String { "l:" + CloneSuffix.base(of: name) }
}

/// Normalises compilers' paths: indexes and debug information spell the same file differently.
enum SourcePath {
  /// Removes `.`, `..` and doubled slashes. Symbolic links are not followed: the file may not exist.
  static func normal(_ path: String) -> String {
    // Few paths need it, and an index of a large build has a hundred thousand.
    let isNormal =
      !path.containsUTF8("/./") && !path.containsUTF8("/../") && !path.containsUTF8("//")
    guard path.begins(with: "/"), !isNormal else { return path }
    var parts: [Substring] = []
    for part in path.split(at: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
