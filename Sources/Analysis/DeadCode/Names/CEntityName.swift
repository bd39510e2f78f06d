import FirstlightModel

/// Parses names of C and C++ functions, byte by byte. A program may have hundreds of thousands of names, and
/// most need no change.
enum CEntityName {
  static func parse(name: String, demangled: String) -> EntityName {
    // A function without a symbol is identified by its address, which replaces the name.
    if name.isEmpty { return EntityName(root: demangled, piece: nil) }
    if startFiles.contains(name) || generated.contains(where: { name.begins(with: $0) }) {
      return EntityName(root: demangled, piece: nil, isCompilerGenerated: true)
    }
    if name.begins(with: "_R"), demangled != name { return RustEntityName.parse(demangled) }
    guard name.begins(with: "_Z"), demangled != name else {
      let (base, piece) = withoutClones(name)
      return EntityName(root: base, piece: piece)
    }
    var text = demangled
    return text.withUTF8 { parse($0, of: demangled) }
  }

  private static let generated: [StaticString] = [
    "_GLOBAL__sub_I_", "_GLOBAL__I_", "_GLOBAL__D_", "__cxx_global_var_init",
    "__cxx_global_array_dtor", "__clang_call_terminate", "__x86.get_pc_thunk.", "asan.module_",
    "hwasan.module_", "msan.module_", "tsan.module_", "sancov.module_",
  ]

  /// Functions from the start files of C libraries and compilers, which every program contains (glibc csu/,
  /// sysdeps/*/crti.S and start.S; musl crt/; GCC libgcc/crtstuff.c; LLVM compiler-rt/lib/builtins/crtbegin.c).
  private static let startFiles: Set<String> = [
    "_start", "_start_c", "_dlstart_c", "_init", "_fini", "frame_dummy", "register_tm_clones",
    "deregister_tm_clones",
    "__do_global_dtors_aux", "__do_global_ctors_aux", "_dl_relocate_static_pie",
    "__libc_csu_init", "__libc_csu_fini", "__do_init", "__do_fini", "call_weak_fn", "__tls_init",
  ]

  /// - Parameter demangled: `text` as a string.
  private static func parse(_ text: UnsafeBufferPointer<UInt8>, of demangled: String) -> EntityName
  {
    let places = Places(text)
    var start = 0
    var end = text.count
    var piece: PieceKind?
    // The C++ runtime's demangler appends suffixes: " (.cold)", " [clone .cold]".
    for place in [places.clone, places.suffix] {
      guard let place, place < end else { continue }
      let suffix = String(decoding: text[place..<end], as: UTF8.self)
      piece = suffix.containsUTF8(".cold") || suffix.containsUTF8(".part") ? .coldPart : .copy
      end = place
    }
    let named = UnsafeBufferPointer(rebasing: text[..<end])
    for thunk in thunks where named.containsUTF8(thunk, at: start) {
      start += thunk.utf8CodeUnitCount
      piece = .thunk
    }
    for beginning in tables where named.containsUTF8(beginning, at: start) {
      return EntityName(
        root: String(decoding: text[start..<end], as: UTF8.self), piece: nil,
        isCompilerGenerated: true)
    }
    if let place = places.local, place < end {
      end = place
      piece = piece ?? .closure
    }
    let isWhole = start == 0 && end == text.count
    return EntityName(
      root: isWhole ? demangled : String(decoding: text[start..<end], as: UTF8.self), piece: piece)
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
      for place in text.indices.dropFirst() {
        switch text[place] {
        case UInt8(ascii: "[") where clone == nil:
          if text.containsUTF8(" [clone ", at: place &- 1) { clone = place &- 1 }
        case UInt8(ascii: "(") where suffix == nil:
          if text.containsUTF8(" (.", at: place &- 1) { suffix = place &- 1 }
        case UInt8(ascii: ":") where local == nil && text[place &- 1] == UInt8(ascii: ":"):
          let isLocal =
            text.containsUTF8("::{lambda(", at: place &- 1)
            || text.containsUTF8("::$_", at: place &- 1)
            || text.containsUTF8("::'lambda", at: place &- 1)
          if isLocal { local = place &- 1 }
        default: break
        }
      }
    }
  }

  /// A C++ name without its template arguments, return type and parameters; nil if the name has no template
  /// arguments.
  static func template(_ demangled: String) -> String? {
    guard demangled.utf8.contains(UInt8(ascii: "<")), !demangled.containsUTF8("operator<") else {
      return nil
    }
    var base: [UInt8] = []
    var depth = 0
    var previous = UInt8(ascii: " ")
    for byte in demangled.utf8 {
      if byte == UInt8(ascii: "<") { depth += 1 }
      if depth == 0 {
        if byte == UInt8(ascii: "("), previous != UInt8(ascii: ":"), !base.isEmpty,
          !base.suffix(8).elementsEqual("operator".utf8)
        {
          break
        }
        base.append(byte)
      }
      if byte == UInt8(ascii: ">"), previous != UInt8(ascii: "-") { depth -= 1 }
      previous = byte
    }
    // The name of a template instance begins with its return type.
    return base.split(separator: UInt8(ascii: " ")).last.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A C name without suffixes from compilers.
  static func withoutClones(_ name: String) -> (base: String, piece: PieceKind?) {
    let utf8 = name.utf8
    guard utf8.contains(UInt8(ascii: ".")) else { return (name, nil) }
    var rest = name[...]
    var piece: PieceKind?
    while let dot = rest.utf8.lastIndex(of: UInt8(ascii: ".")), dot > rest.startIndex {
      let word = rest[rest.utf8.index(after: dot)...]
      guard words.contains(word) || !word.isEmpty && word.allSatisfy(\.isNumber) else { break }
      if word == "cold" || word == "part" { piece = .coldPart }
      if word == "resume" || word == "destroy" || word == "cleanup" { piece = .asyncPiece }
      if word == "isra" || word == "constprop" { piece = piece ?? .specialisation }
      rest = rest[..<dot]
    }
    // Static functions of one name differ only in such a number, so without it they count as copies.
    guard rest.endIndex < name.endIndex else { return (name, nil) }
    return (String(rest), piece ?? .copy)
  }

  private static let words: Set<Substring> = [
    "llvm", "cold", "part", "isra", "constprop", "lto_priv", "__uniq", "resume", "destroy",
    "cleanup", "localalias",
  ]
}
