import FirstlightModel

/// Functions that Swift's optimiser merged because their bodies were equal: each becomes a few
/// instructions that end in a jump to the shared body, whose name ends in `Tm`
/// (swift/lib/LLVMPasses/LLVMMergeFunctions.cpp). Debug information has at most an entry for the body.
struct MergedThunks {
  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// Indices of the functions that are or may be written in the source: their shared body is, or, if the body has no
  /// debug information, not only compilers make functions of such a name.
  ///
  /// Excludes initializers and deinitializers, since debug information gives even generated ones a
  /// line.
  func written(_ candidates: [Int], of functions: [Function]) -> Set<Int> {
    var thunks: [Int] = []
    var bodies: [UInt64] = []
    for index in candidates where !Self.isOftenImplicit(functions[index].name) {
      guard let body = body(of: functions[index]) else { continue }
      thunks.append(index)
      bodies.append(body)
    }
    guard !bodies.isEmpty else { return [] }
    let places = image.source.declarations(at: bodies)
    return Set(
      zip(thunks, places).filter { thunk, place in
        place.file == nil ? Self.isWritten(functions[thunk].name) : !place.isCompilerGenerated
      }.map(\.0))
  }

  /// Whether the name belongs to a function or method, or to a specialisation of one, and is not
  /// derived by Swift. Accessors may belong to a stored variable: whether these ran stays unknown.
  private static func isWritten(_ name: String) -> Bool {
    let ends = ["F", "FZ"] + accessors.flatMap { [$0, $0 + "Z"] }
    let isFunction =
      ends.contains { name.ends(with: $0) } || name.containsUTF8("FTf") || name.containsUTF8("FZTf")
    return isFunction && !derived.contains { name.containsUTF8($0) }
  }

  /// Getters, setters and coroutines of variables and subscripts (swift/docs/ABI/Mangling.rst, "Entities").
  private static let accessors = ["vg", "vs", "vM", "vr", "ig", "is", "iM", "ir"]

  /// Members of conformances and their helpers (swift/lib/Sema/DerivedConformance*.cpp).
  private static let derived = [
    "2eeoi", "4hash4into", "6encode2to", "__derived_", "8rawValue", "9hashValue", "8allCases",
    "11stringValue", "8intValue",
  ]

  /// Whether the name ends like an initializer or deinitializer (swift/docs/ABI/Mangling.rst, "Entities").
  private static func isOftenImplicit(_ name: String) -> Bool {
    ["fC", "fc", "fD", "fd", "fZ"].contains { name.ends(with: $0) }
  }

  /// The address of the shared body that a function jumps to, directly or through its own
  /// specialisation; nil if the function is no such thunk.
  private func body(of function: Function) -> UInt64? {
    guard var address = function.address else { return nil }
    var size = function.size
    for _ in 0..<2 {
      guard let target = jump(at: address, size: size) else { return nil }
      let symbols = image.symbols
      let places = symbols.indices(at: target)
      if places.contains(where: { symbols.name($0).ends(with: "Tm") }) { return target }
      guard let own = places.first(where: { symbols.name($0).begins(with: function.name) }) else {
        return nil
      }
      (address, size) = (target, symbols.entries[own].size)
    }
    return nil
  }

  /// The target of the jump at the end of a function's code.
  private func jump(at address: UInt64, size: UInt64) -> UInt64? {
    guard (4...256).contains(size), let offset = image.elf.fileOffset(of: address),
      let code = image.elf.file.bytes.slice(offset, size)
    else { return nil }
    var target: UInt64?
    CodeReferences(code, at: address, image.elf).visit {
      if $0.kind == .jump, $0.place.upperBound == address &+ size { target = $0.target }
      return false
    }
    return target
  }
}

/// Functions that do not return to their callers: async functions of Swift and their parts.
package enum AsyncPieces {
  /// Whether a linker name belongs to an async function or a part of one: code after an await has
  /// `TQ<n>_` or `TY<n>_` after the function's name (Swift, docs/ABI/Mangling.rst:
  /// async-await-resume and suspend partial functions), and a function type with `Ya` is async.
  package static func contains(_ name: String) -> Bool {
    // The main function of an async program has no mangled name, but its parts have these suffixes.
    if name == "async_Main" || isPiece(name) { return true }
    guard name.isSwiftSymbol, name.containsUTF8("Ya") else { return false }
    let text = Demangler.demangle(name)
    return text.containsUTF8(" async ") || text.containsUTF8("@async ")
  }

  private static func isPiece(_ name: String) -> Bool {
    guard var rest = name.removing(suffix: "_")?.utf8 else { return false }
    while rest.last?.isASCIIDigit == true { rest.removeLast() }
    return Substring(rest).ends(with: "TQ") || Substring(rest).ends(with: "TY")
  }
}
