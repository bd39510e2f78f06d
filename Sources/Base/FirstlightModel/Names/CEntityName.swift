/// Parses names of C and C++ functions, byte by byte. A program may have hundreds of thousands of names, and
/// most need no change.
enum CEntityName {
  static func parse(name: String, demangled: String) -> FunctionIdentity {
    // A function without a symbol is identified by its address, which replaces the name.
    if name.isEmpty { return FunctionIdentity(name: name, entity: demangled) }
    if FunctionIdentity.isOfStartFile(name) || generated.contains(where: { name.begins(with: $0) })
    {
      return FunctionIdentity(name: name, entity: demangled, isCompilerGenerated: true)
    }
    if name.begins(with: "_R"), demangled != name {
      return RustEntityName.parse(name: name, demangled: demangled)
    }
    // Chooses a version of a function for the processor, whether the function is called or not.
    if name.ends(with: ".resolver") {
      return FunctionIdentity(name: name, entity: demangled, isCompilerGenerated: true)
    }
    let clone = CloneSuffix(name)
    guard name.begins(with: "_Z"), demangled != name else {
      // Static functions of one name differ only in a number, so without it they count as copies.
      return FunctionIdentity(
        name: name, entity: String(clone.base), piece: PieceKind(clone.kind))
    }
    var text = demangled
    return text.withUTF8 { parse($0, of: name, demangled, clone) }
  }

  private static let generated: [StaticString] = [
    "_GLOBAL__sub_I_", "_GLOBAL__I_", "_GLOBAL__D_", "__cxx_global_var_init",
    "__cxx_global_array_dtor", "__clang_call_terminate", "__x86.get_pc_thunk.", "asan.module_",
    "hwasan.module_", "msan.module_", "tsan.module_", "sancov.module_",
  ]

  /// - Parameter demangled: `text` as a string.
  private static func parse(
    _ text: UnsafeBufferPointer<UInt8>, of name: String, _ demangled: String, _ clone: CloneSuffix
  ) -> FunctionIdentity {
    let places = Places(text)
    var start = 0
    var end = text.count
    var piece: PieceKind?
    // The C++ runtime's demangler appends suffixes: " (.cold)", " [clone .cold]".
    for place in [places.clone, places.suffix] {
      guard let place, place < end else { continue }
      piece = PieceKind(clone.kind) ?? .copy
      end = place
    }
    if clone.kind == .coroutine, let own = coroutine(text[..<end]) { (start, end) = own }
    let named = UnsafeBufferPointer(rebasing: text[..<end])
    for thunk in thunks where named.containsUTF8(thunk, at: start) {
      start += thunk.utf8CodeUnitCount
      piece = .thunk
    }
    for beginning in tables where named.containsUTF8(beginning, at: start) {
      return FunctionIdentity(
        name: name, entity: String(decoding: text[start..<end], as: UTF8.self),
        isCompilerGenerated: true)
    }
    if let place = places.local, place < end {
      end = place
      piece = piece ?? .closure
    }
    let isWhole = start == 0 && end == text.count
    let root = isWhole ? demangled : String(decoding: text[start..<end], as: UTF8.self)
    // The type of a lambda's own result stands before a generic one: `auto f(int)::{lambda(auto:1)#1}::operator()`.
    return FunctionIdentity(
      name: name, entity: piece == .closure ? CxxName(root).withoutResult : root, piece: piece)
  }

  /// The function of a coroutine's piece: GCC names it after the function's frame, a parameter:
  /// `f(f(int)::_Z1fi.Frame*)`.
  private static func coroutine(
    _ text: Slice<UnsafeBufferPointer<UInt8>>
  ) -> (start: Int, end: Int)? {
    let name = String(decoding: text, as: UTF8.self)
    guard let frame = name.firstRange(ofUTF8: ".Frame*)"),
      let end = name[..<frame.lowerBound].lastRange(ofUTF8: "::_Z")
    else { return nil }
    let start = name.utf8.indices.dropFirst().first { place in
      name.utf8[place] == UInt8(ascii: "(")
        && name[name.utf8.index(after: place)...].begins(with: name[..<place])
    }
    return start.map {
      (
        name.utf8.distance(from: name.startIndex, to: $0) + 1,
        name.utf8.distance(from: name.startIndex, to: end.lowerBound)
      )
    }
  }

  private static let thunks: [StaticString] = [
    "non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
  ]

  private static let tables: [StaticString] = [
    "vtable for ", "typeinfo for ", "guard variable for ", "construction vtable ",
    "thread-local wrapper routine for ", "thread-local initialization routine for ",
  ]

  /// The first place of each text at which a name is cut.
  private struct Places {
    /// ` [clone `
    var clone: Int?
    /// ` (.`
    var suffix: Int?
    /// `::{lambda(`, `::$_`, `::'lambda`: code inside a function.
    var local: Int?

    init(_ text: UnsafeBufferPointer<UInt8>) {
      // A template's arguments and a function's parameters may be lambdas of other functions.
      var depth = text.first == UInt8(ascii: "(") ? 1 : 0
      for place in text.indices.dropFirst() {
        switch text[place] {
        case UInt8(ascii: "<"), UInt8(ascii: "("):
          if !Self.isOfOperator(text, place) { depth += 1 }
        case UInt8(ascii: ">"), UInt8(ascii: ")"):
          if !Self.isOfOperator(text, place) { depth -= 1 }
        default: break
        }
        switch text[place] {
        case UInt8(ascii: "[") where clone == nil:
          if text.containsUTF8(" [clone ", at: place &- 1) { clone = place &- 1 }
        case UInt8(ascii: "(") where suffix == nil:
          if text.containsUTF8(" (.", at: place &- 1) { suffix = place &- 1 }
        case UInt8(ascii: ":")
        where local == nil && depth == 0 && text[place &- 1] == UInt8(ascii: ":"):
          let isLocal =
            text.containsUTF8("::{lambda(", at: place &- 1)
            || text.containsUTF8("::$_", at: place &- 1)
            || text.containsUTF8("::'lambda", at: place &- 1)
          if isLocal { local = place &- 1 }
        default: break
        }
      }
    }

    /// Whether a bracket belongs to the name of an operator: `operator<<`, `operator->`, `operator()`.
    private static func isOfOperator(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
      let symbols = "<>-=".utf8
      for length in 8...10 where place >= length {
        guard text.containsUTF8("operator", at: place &- length) else { continue }
        let before = text[(place &- length &+ 8)..<place]
        return switch text[place] {
        case UInt8(ascii: "("): before.isEmpty
        case UInt8(ascii: ")"): before.elementsEqual("(".utf8)
        default: before.allSatisfy(symbols.contains)
        }
      }
      return false
    }
  }
}

extension PieceKind {
  fileprivate init?(_ kind: CloneSuffix.Kind?) {
    switch kind {
    case nil: return nil
    case .copy: self = .copy
    case .specialisation: self = .specialisation
    case .part: self = .coldPart
    case .coroutine: self = .asyncPiece
    }
  }
}
