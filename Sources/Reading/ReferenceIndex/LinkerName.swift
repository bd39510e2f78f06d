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
