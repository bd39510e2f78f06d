/// The suffixes that compilers append to the names of copies and parts of functions.
///
/// LLVM: `.llvm.N` (promoted by ThinLTO), `.N` (renamed), `.cold`, `.__part.N` and `.eh` (split off, the last two
/// by `-fbasic-block-sections`), `.resume`, `.destroy`, `.cleanup` (pieces of a coroutine), `.specialized.N`,
/// `.omp_outlined` (a parallel region), `.__uniq.N`. GCC: `.part.N`, `.isra.N`, `.constprop.N`, `.cold`,
/// `._omp_fn.N`, `.lto_priv.N`, `.localalias`, and `.actor` and `.destroy` of a coroutine, whose name follows its
/// frame's: `_Z1fPZ1fvE9_Z1fv.Frame.actor`. Both: `.avx2`, `.default` and others (versions for processors by
/// `target_clones`), and `.resolver`, which chooses one. Swift: `Tm` (the shared body of merged functions).
package struct CloneSuffix: Sendable {
  package enum Kind: Hashable, Sendable {
    /// The same function again.
    case copy
    case specialisation
    /// Split off from a function: runs after its beginning.
    case part
    /// A piece of a coroutine.
    case coroutine
  }

  /// The name without suffixes.
  package private(set) var base: Substring
  /// Nil if the name has no suffix.
  package private(set) var kind: Kind?
  /// Identifies the part of a function or coroutine: `.resume`, `.cold`, `.__part.3`; nil for a whole function.
  package private(set) var part: Substring?
  /// Whether another file may have a function of the same name without suffix.
  package private(set) var isOfOneFile = false

  package init(_ name: String) {
    base = name[...]
    while let shorter = Self.withoutLast(base) {
      let suffix = base[shorter.endIndex...]
      base = shorter
      note(suffix)
    }
    guard kind == .coroutine, let frame = base.removing(suffix: ".Frame") else { return }
    if let name = frame.lastIndex(ofUTF8: "_Z") { base = frame[name...] }
  }

  /// The name of the function that a copy or a part belongs to.
  package static func base(of name: String) -> String { String(CloneSuffix(name).base) }

  private mutating func note(_ suffix: Substring) {
    let word = (suffix.removing(prefix: ".") ?? suffix).prefix(upToAny: ".")
    let found: Kind? =
      switch word {
      case "cold", "part", "__part", "eh", "_omp_fn", "omp_outlined": .part
      case "resume", "destroy", "cleanup", "actor": .coroutine
      case "isra", "constprop", "specialized": .specialisation
      default: nil
      }
    isOfOneFile = isOfOneFile || word == "llvm" || word == "lto_priv"
    switch (found, kind) {
    case (.part, _), (.coroutine, _): kind = found
    case (.specialisation, nil), (.specialisation, .copy): kind = found
    default: kind = kind ?? .copy
    }
    // GCC's `.part.0` is the rest of a function, and stands for the function where its beginning is inlined.
    switch word {
    case "part": break
    case "__part", "_omp_fn", "omp_outlined": part = suffix
    default: if found == .part || found == .coroutine { part = suffix[..<word.endIndex] }
    }
  }

  private static let words: Set<TextBytes> = [
    "llvm", "cold", "part", "__part", "eh", "isra", "constprop", "lto_priv", "__uniq", "resume",
    "destroy", "cleanup", "actor", "localalias", "specialized", "_omp_fn", "omp_outlined",
  ]
  private static let versions: Set<TextBytes> = ["default", "resolver", "ifunc"]
  /// How the names of processors and their features begin.
  private static let processors: [StaticString] = [
    "arch_", "avx", "sse", "ssse", "mmx", "popcnt", "bmi", "fma", "f16c", "lzcnt", "aes", "vaes",
    "pclmul",
    "vpclmul", "gfni", "xop", "adx", "cmov", "movbe", "sha", "amx", "_M",
  ]

  private static func isVersion(_ word: Substring) -> Bool {
    versions.contains(word) || processors.contains { word.begins(with: $0) }
  }

  private static let dot = UInt8(ascii: ".")

  /// The name without its last suffix; nil if it has none.
  private static func withoutLast(_ name: Substring) -> Substring? {
    if name.ends(with: "Tm"), String(name).isSwiftSymbol {
      return name.dropLast(2)
    }
    guard let last = name.utf8.lastIndex(of: dot), last > name.startIndex else { return nil }
    let word = name[name.utf8.index(after: last)...]
    if words.contains(word) || isVersion(word) { return name[..<last] }
    guard !word.isEmpty, word.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    // `.llvm.17` is a single suffix.
    let rest = name[..<last]
    if let before = rest.utf8.lastIndex(of: dot), before > rest.startIndex,
      words.contains(rest[rest.utf8.index(after: before)...])
    {
      return name[..<before]
    }
    return rest
  }
}
