/// Parses the text of the Swift demangler (lib/Demangling/NodePrinter.cpp of the Swift project).
enum SwiftEntityName {
  static func parse(name linkerName: String, demangled: String) -> FunctionIdentity {
    var name = NameScanner(demangled)
    var piece: PieceKind?
    // LLVM's suffix: a continuation of a coroutine or of an async function, or a cold part.
    if name.holdsSuffix, let suffix = name.find(" with unmangled suffix ") {
      var rest = name
      rest.move(to: suffix)
      let text = rest.text
      piece =
        text.containsUTF8(".resume") || text.containsUTF8(".destroy")
        ? .asyncPiece : text.containsUTF8(".cold") ? .coldPart : .copy
      name.end = suffix
    }
    var isVariable = false
    // No prefix begins with a capital letter.
    while !name.startsWithCapital {
      if let kind = skipPrefix(&name) {
        piece = piece ?? kind
        if kind == .initialValue { isVariable = true }
      } else if name.starts(with: "protocol witness for ") || isCompilerGenerated(name) {
        return FunctionIdentity(name: linkerName, entity: name.text, isCompilerGenerated: true)
      } else {
        break
      }
    }
    if isHelper(name) {
      return FunctionIdentity(name: linkerName, entity: name.text, isCompilerGenerated: true)
    }
    // A variable may be called `read`, like an accessor.
    let (root, kind) = isVariable ? (name.text, nil) : entity(name)
    return FunctionIdentity(
      name: linkerName, entity: withoutDiscriminator(root), piece: piece ?? kind)
  }

  /// Skips a prefix that marks the name as a piece of the entity that follows.
  private static func skipPrefix(_ name: inout NameScanner) -> PieceKind? {
    if name.skip("closure #") || name.skip("implicit closure #") || name.skip("autoclosure #")
      || name.skip("$defer #")
    {
      guard let parent = name.find(" in ") else { return .closure }
      name.move(to: parent + 4)
      return .closure
    }
    if name.starts(with: "default argument "), let parent = name.find(" of ") {
      name.move(to: parent + 4)
      return .defaultArgument
    }
    for (prefix, kind) in plain where name.skip(prefix) { return kind }
    for accessor in localAccessors where name.starts(with: accessor) {
      // `willset of x #1 : Swift.Int in M.f() -> ()`. Other names with this beginning are no such pieces.
      guard name.find(" #") != nil, name.find(" in ") != nil else { continue }
      _ = name.skip(accessor)
      return .accessor
    }
    for prefix in specialisations where name.starts(with: prefix) {
      let bracket = name.start + prefix.utf8CodeUnitCount - 1
      guard let end = name.endOfBrackets(at: bracket), name.starts(with: " of ", at: end) else {
        continue
      }
      name.move(to: end + 4)
      return .specialisation
    }
    if name.skip("vtable thunk for ") {
      if let target = name.find(" dispatching to ") { name.move(to: target + 16) }
      return .thunk
    }
    return skipAsyncPiece(&name)
  }

  /// `(1) await resume partial function for `.
  private static func skipAsyncPiece(_ name: inout NameScanner) -> PieceKind? {
    guard name.starts(with: "(") else { return nil }
    var rest = name
    guard rest.skip("(") else { return nil }
    rest.skipDigits()
    guard
      rest.skip(") await resume partial function for ")
        || rest.skip(") suspend resume partial function for ")
    else { return nil }
    name = rest
    return .asyncPiece
  }

  private static let plain: [(StaticString, PieceKind)] = [
    ("merged ", .mergedBody), ("partial apply forwarder for ", .thunk),
    ("partial apply for ", .thunk), ("curry thunk of ", .thunk), ("dispatch thunk of ", .thunk),
    ("async function pointer to ", .thunk), ("coro function pointer to ", .thunk),
    ("back deployment thunk for ", .thunk), ("back deployment fallback for ", .copy),
    ("distributed thunk ", .thunk), ("@objc ", .thunk), ("@nonobjc ", .copy),
    ("identity thunk of ", .thunk), ("variable initialization expression of ", .initialValue),
    ("property wrapper backing initializer of ", .initialValue),
    ("property wrapper init from projected value of ", .initialValue),
    ("property wrapped field init accessor of ", .accessor),
  ]

  private static let specialisations: [StaticString] = [
    "generic specialization <", "generic not re-abstracted specialization <",
    "generic pre-specialization <", "generic partial specialization <",
    "generic not-reabstracted partial specialization <", "inlined generic function <",
    "function signature specialization <", "specialized generic specialization <",
    "generic specialization for prespecialized module <",
  ]

  /// Functions that Swift generates for its own use, without a counterpart in the source.
  private static func isCompilerGenerated(_ name: NameScanner) -> Bool {
    for prefix in helpers where name.starts(with: prefix) { return true }
    return name.find(" value witness for ") != nil
  }

  /// Members that Swift adds to types for its own use.
  private static func isHelper(_ name: NameScanner) -> Bool {
    name.holdsUnderscores
      && (name.find(".__ivar_destroyer") != nil || name.find(".__ivar_initializer") != nil
        || name.find(".__derived_struct_equals(") != nil
        || name.find(".__derived_enum_equals(") != nil)
  }

  private static let helpers: [StaticString] = [
    "reabstraction thunk", "key path getter for ", "key path setter for ",
    "key path equality operator for ", "key path hash operator for ",
    "key path index ", "outlined ", "type metadata ", "lazy protocol witness table ",
    "generic protocol witness table ", "associated type witness table accessor ",
    "associated type metadata accessor ", "associated conformance ",
    "base witness table accessor ", "protocol witness table accessor ", "value witness ",
    "metadata instantiation ", "instantiation function ", "default associated ",
    "method lookup function ", "opaque type descriptor ", "runtime record ",
    "noncanonical specialized ", "block copy helper", "block destroy helper",
    "accessible function ",
  ]

  /// Closures of a private initializer name its file; the initializer itself does not.
  private static func withoutDiscriminator(_ root: String) -> String {
    guard let (before, discriminator) = root.cut(at: ".(in _"),
      let behind = discriminator.cut(at: ")")?.behind
    else { return root }
    return String(before + behind)
  }

  /// The entity of a name without prefixes.
  private static func entity(_ name: NameScanner) -> (root: String, piece: PieceKind?) {
    if name.holdsColon, let place = name.find(" : ") {
      for accessor in accessors {
        let begin = place - accessor.utf8CodeUnitCount
        if begin > name.start, name.starts(with: accessor, at: begin) {
          return (name.text(name.start..<begin) + name.text(place..<name.end), .accessor)
        }
      }
    }
    let text = name.text
    guard name.holdsUnderscores else { return (text, nil) }
    if let place = name.find(".__allocating_init") {
      return (
        name.text(name.start..<place) + ".init" + name.text(place + 18..<name.end), .copy
      )
    }
    for ending in [".__isolated_deallocating_deinit", ".__deallocating_deinit"] {
      if let type = text.removing(suffix: ending) { return (type + ".deinit", .copy) }
    }
    return (text, nil)
  }

  /// Accessors of variables inside functions: the accessor's kind comes first in the name.
  private static let localAccessors: [StaticString] = [
    "getter of ", "setter of ", "modify of ", "read of ", "willset of ", "didset of ",
    "unsafeAddressor of ", "unsafeMutableAddressor of ", "modify2 of ", "read2 of ", "init of ",
    "yielding_borrow of ", "yielding_mutate of ",
  ]

  private static let accessors: [StaticString] = [
    ".getter", ".setter", ".modify", ".read", ".willset", ".didset", ".unsafeAddressor",
    ".unsafeMutableAddressor", ".owningAddressor", ".owningMutableAddressor", ".modify2", ".read2",
    ".yielding_borrow", ".yielding_mutate", ".nativeOwningAddressor", ".init", ".borrow", ".mutate",
  ]
}
