/// Takes names of C and C++ functions apart.
enum CEntityName {
  static func parse(name: String, demangled: String) -> EntityName {
    // What no symbol names is told apart by its address, which stands for its name.
    if name.isEmpty { return EntityName(root: demangled, piece: nil) }
    for prefix in [
      "_GLOBAL__sub_I_", "_GLOBAL__I_", "__cxx_global_var_init", "__cxx_global_array_dtor",
    ]
    where name.hasPrefix(prefix) {
      return EntityName(root: demangled, piece: nil, isCompilerMade: true)
    }
    guard name.hasPrefix("_Z"), demangled != name else {
      let (base, piece) = withoutClones(name)
      return EntityName(root: String(base), piece: piece)
    }
    var text = demangled
    var piece: PieceKind?
    // The C++ runtime's demangler writes suffixes behind the name: " (.cold)", " [clone .cold]".
    for opening in [" [clone ", " (."] {
      guard let place = text.firstRange(of: opening)?.lowerBound else { continue }
      let suffix = text[place...]
      piece = suffix.contains(".cold") || suffix.contains(".part") ? .coldPart : .copy
      text = String(text[..<place])
    }
    for prefix in ["non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to "]
    where text.hasPrefix(prefix) {
      text.removeFirst(prefix.count)
      piece = .thunk
    }
    for prefix in ["vtable for ", "typeinfo for ", "guard variable for ", "construction vtable "]
    where text.hasPrefix(prefix) {
      return EntityName(root: text, piece: nil, isCompilerMade: true)
    }
    for opening in ["::{lambda(", "::$_", "::'lambda"] {
      guard let place = text.firstRange(of: opening)?.lowerBound else { continue }
      text = String(text[..<place])
      piece = piece ?? .closure
    }
    return EntityName(root: text, piece: piece)
  }

  /// Whether a C++ name has template arguments, so that it is one of many made from one source.
  static func template(_ demangled: String) -> String? {
    guard demangled.utf8.contains(UInt8(ascii: "<")), !demangled.contains("operator<") else {
      return nil
    }
    var base = ""
    var depth = 0
    var previous: Character = " "
    for character in demangled {
      if character == "<" { depth += 1 }
      if depth == 0 {
        if character == "(", previous != ":", !base.isEmpty, !base.hasSuffix("operator") { break }
        base.append(character)
      }
      if character == ">", previous != "-" { depth -= 1 }
      previous = character
    }
    // A template's name begins with its return type.
    return base.split(separator: " ").last.map(String.init)
  }

  /// A C name without what compilers appended to it.
  static func withoutClones(_ name: String) -> (base: Substring, piece: PieceKind?) {
    guard name.utf8.contains(UInt8(ascii: ".")) else { return (name[...], nil) }
    var rest = name[...]
    var piece: PieceKind?
    while let dot = rest.lastIndex(of: "."), dot > rest.startIndex {
      let word = rest[rest.index(after: dot)...]
      guard words.contains(word) || !word.isEmpty && word.allSatisfy(\.isNumber) else { break }
      if word == "cold" || word == "part" { piece = .coldPart }
      if word == "resume" || word == "destroy" || word == "cleanup" { piece = .asyncPiece }
      if word == "isra" || word == "constprop" { piece = piece ?? .specialisation }
      rest = rest[..<dot]
    }
    // A static variable's or function's number alone tells two functions of one name apart.
    return (rest, rest.endIndex < name.endIndex ? piece ?? .copy : nil)
  }

  private static let words: Set<Substring> = [
    "llvm", "cold", "part", "isra", "constprop", "lto_priv", "__uniq", "resume", "destroy",
    "cleanup", "localalias",
  ]
}
