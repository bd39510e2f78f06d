/// The facts in a function's names: its language, the source's entity that it belongs to, and the kind of piece.
///
/// Only the types of this folder call the parsers of names.
package struct FunctionIdentity: Hashable, Sendable {
  package enum Language: Hashable, Sendable {
    case swift, cxx, rust
    /// C, or a name that does not show its language.
    case c

    /// - Parameter name: the linker's.
    init(of name: String) {
      self =
        name.isSwiftSymbol
        ? .swift : name.begins(with: "_Z") ? .cxx : name.begins(with: "_R") ? .rust : .c
    }
  }

  package let language: Language
  /// The linker's name; empty if the binary has none.
  package let linkerName: String
  /// The source's function, variable or subscript, as people read it. Variables and subscripts lack the
  /// accessor's name: `M.X.y : Swift.Int`.
  package let entity: String
  /// The kind of piece; nil if the function is the entity's own.
  package let piece: PieceKind?
  /// Whether only compilers make such functions, even if debug information does not mark them.
  package let isCompilerGenerated: Bool
  /// What all functions of one source function have in common: the entity; of an instance of a C++ template or a method
  /// of a Rust `impl` the name without types; of a closure of Swift's top-level code `main`; of the one-time initializer
  /// of a variable how the linker's names of its accessors begin.
  package let key: String
  /// Whether the key alone identifies the source function in all builds; otherwise its file or image does, too.
  package let isKeyUnique: Bool

  /// Parses the demangled name: the demangler has already undone substitutions, and the demangled name of a
  /// piece ends with the unchanged name of its entity.
  ///
  /// - Parameters:
  ///   - name: the linker's name.
  ///   - demangled: the name for people.
  package init(name: String, demangled: String) {
    self =
      name.isSwiftSymbol
      ? SwiftEntityName.parse(name: name, demangled: demangled)
      : CEntityName.parse(name: name, demangled: demangled)
  }

  /// - Parameter entity: as a parsed identity gave it.
  package init(
    name: String, entity: String, piece: PieceKind? = nil, isCompilerGenerated: Bool = false
  ) {
    language = Language(of: name)
    linkerName = name
    self.entity = entity
    self.piece = piece
    self.isCompilerGenerated = isCompilerGenerated
    isKeyUnique =
      language == .swift
      && (entity.utf8.contains(UInt8(ascii: ".")) || Self.initialized(entity) != nil)
    key =
      switch language {
      case .cxx:
        (entity.begins(with: "_Z") ? CxxName.template(ofMangled: entity) : CxxName(entity).template)
          ?? entity
      case .rust: RustEntityName.template(entity) ?? entity
      case .swift where Self.initialized(entity) != nil:
        SwiftSymbol(CloneSuffix.base(of: name))?.initializedVariable ?? name
      case .swift: isKeyUnique ? entity : "main"
      case .c: entity
      }
  }

  /// The variable that it initializes, if it is the one-time initializer of one: the name without module and type.
  package var initializedVariable: String? { Self.initialized(entity).map(String.init) }

  private static func initialized(_ entity: String) -> Substring? {
    entity.removing(prefix: "one-time initialization function for ")
  }

  /// The entity as people write it: `Ware.price(of:_:)`. Several functions may have the same short name.
  package var shortName: String { ShortName.of(entity, language) }

  /// The short name with the kind of piece, for tables and pictures: `closure of Ware.price(of:_:)`.
  package var shownName: String {
    switch piece {
    case .closure, .defaultArgument, .initialValue, .thunk, .coldPart:
      "\(piece?.rawValue ?? "") of \(shortName)"
    case .asyncPiece, .specialisation, .mergedBody, .accessor, .copy, nil: shortName
    }
  }

  /// Whether the entity is an initializer or deinitializer, which Swift may generate.
  package var isOftenImplicit: Bool {
    entity.containsUTF8(".init(") || entity.containsUTF8(".init<") || entity.ends(with: ".deinit")
  }
}

extension FunctionIdentity {
  /// The forms of a C++ destructor (Itanium C++ ABI, section 5.1.4.3).
  package enum DestructorForm: Hashable, Sendable {
    /// What `delete` calls: destroys the object and frees its memory.
    case deleting
    /// Destroys an object, or the part of one that is a base class's.
    case destroying
  }

  /// The form, from the linker's name of a destructor, with or without the suffixes of a copy. Of other functions, some
  /// have such a name, too: `f::D0()`.
  package static func destructorForm(of name: String) -> DestructorForm? {
    let base = CloneSuffix(name).base
    guard base.begins(with: "_Z") else { return nil }
    if base.ends(with: "D0Ev") { return .deleting }
    // gcc's debug information has D4, its groups of sections D5.
    let others = ["D1Ev", "D2Ev", "D4Ev", "D5Ev"]
    return others.contains { base.ends(with: $0) } ? .destroying : nil
  }

  /// Whether a linker's name is that of a function that every program contains.
  package static func isOfStartFile(_ name: String) -> Bool { startFiles.contains(name) }

  /// Whether a linker's name is that of an initializer of ours: what `optimize` adds, and what fills the runtime's tables
  /// of guards, which the compiler makes (`CSupport/FirstlightPrefetch`, LLVM's SanitizerCoverage.cpp).
  package static func isOfFirstlight(_ name: String) -> Bool {
    name == prefetch || name.begins(with: "sancov.module_ctor")
  }

  package static let prefetch = "firstlight_prefetch"

  /// Functions from the start files of C libraries and compilers, which every program contains (glibc csu/,
  /// sysdeps/*/crti.S and start.S; musl crt/; GCC libgcc/crtstuff.c; LLVM compiler-rt/lib/builtins/crtbegin.c).
  private static let startFiles: Set<TextBytes> = [
    "_start", "_start_c", "_dlstart_c", "_init", "_fini", "frame_dummy", "register_tm_clones",
    "deregister_tm_clones",
    "__do_global_dtors_aux", "__do_global_ctors_aux", "_dl_relocate_static_pie",
    "__libc_csu_init", "__libc_csu_fini", "__do_init", "__do_fini", "call_weak_fn", "__tls_init",
    "_init_first",
  ]
}

extension String {
  /// Whether a linker's name is Swift's: of Swift 4 (`_T0`), 4.2 (`$S`), and since; `$e` is Embedded Swift's.
  package var isSwiftSymbol: Bool {
    begins(with: "$s") || begins(with: "_$s") || begins(with: "$e") || begins(with: "$S")
      || begins(with: "_$S") || begins(with: "_T0")
  }
}
