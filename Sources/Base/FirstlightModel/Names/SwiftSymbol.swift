/// What the mangled name of a Swift function shows by itself (docs/ABI/Mangling.rst of the Swift project). All other
/// code asks here, and takes no name apart.
package struct SwiftSymbol: Sendable {
  private let name: String

  /// Nil if the linker's name is not Swift's.
  package init?(_ name: String) {
    guard name.isSwiftSymbol else { return nil }
    self.name = name
  }

  /// Whether it is the shared body of functions that the optimiser merged.
  package var isMergedBody: Bool { name.ends(with: "Tm") }

  /// Whether it describes a type's conformance to a protocol.
  package var isConformanceDescriptor: Bool { name.ends(with: "Mc") }

  // MARK: Functions

  /// Whether it is a function, method or accessor, or a specialisation of one, and not derived by Swift. Accessors may
  /// belong to a stored variable: whether these were written stays unknown.
  package var mayBeWritten: Bool {
    let isFunction =
      Self.functions.contains { name.ends(with: $0) } || name.containsUTF8("FTf")
      || name.containsUTF8("FZTf")
    return isFunction && !Self.derived.contains { name.containsUTF8($0) }
  }

  /// Whether it is an initializer or deinitializer, which Swift may generate.
  package var isOftenImplicit: Bool {
    ["fC", "fc", "fD", "fd", "fZ"].contains { name.ends(with: $0) }
  }

  /// The ends of functions, getters, setters and coroutines of variables and subscripts.
  private static let functions = ["F", "vg", "vs", "vM", "vr", "ig", "is", "iM", "ir"].flatMap {
    [$0, $0 + "Z"]
  }

  /// Members of conformances and their helpers (swift/lib/Sema/DerivedConformance*.cpp).
  private static let derived = [
    "2eeoi", "4hash4into", "6encode2to", "__derived_", "8rawValue", "9hashValue", "8allCases",
    "11stringValue", "8intValue",
  ]

  // MARK: Async functions

  /// Whether it is code of an async function after an `await` (`TQ0_`, `TY1_`), which has its own entry.
  package static func isAsyncPiece(_ name: String) -> Bool {
    // The main function of an async program has no mangled name, but its pieces have these ends.
    guard name.utf8.last == UInt8(ascii: "_") else { return false }
    let rest = name.utf8.dropLast().reversed().drop { $0.isASCIIDigit }.prefix(2)
    return rest.elementsEqual("QT".utf8) || rest.elementsEqual("YT".utf8)
  }

  /// Whether a type in the name may be that of an async function; the demangled name decides.
  package var mayBeAsync: Bool { name.containsUTF8("Ya") }

  // MARK: Variables

  /// Whether it returns the address of a global or static stored variable, and initializes the variable first if that
  /// takes code: `$s1M1xSivau`.
  package var isAddressor: Bool { name.ends(with: "vau") }

  /// Whether it sets a static variable: `$s1M1SV1xSivsZ`.
  package var isStaticSetter: Bool { name.ends(with: "vsZ") }

  /// Whether it initializes global or static variables at their first use: `$s1M1x_WZ`. Such a name has no type.
  package var isOnceInitializer: Bool { name.ends(with: "_WZ") }

  /// How the names of accessors of the variable begin that it initializes; nil of other functions.
  package var initializedVariable: String? { isOnceInitializer ? String(name.dropLast(3)) : nil }

  /// Whether it is part of the initial value of a property.
  package var isOfInitialValue: Bool { name.containsUTF8("vpfi") }

  /// Whether it is a closure, but not an autoclosure, in a variable's initial value.
  package var isClosureOfInitialValue: Bool {
    guard name.ends(with: "_"), name.containsUTF8("vpfi") || name.containsUTF8("vpZfi") else {
      return false
    }
    return name.utf8.dropLast().last { !$0.isASCIIDigit } == UInt8(ascii: "U")
  }

  /// The number of the parameter, from 0, for which it makes the default argument: `fA_` is the first, `fA0_` the
  /// second. Nil if the name does not contain one.
  var defaultArgument: Int? {
    guard name.ends(with: "_") else { return nil }
    let digits = name.utf8.dropLast().reversed().prefix { $0.isASCIIDigit }
    guard name.utf8.dropLast(1 + digits.count).suffix(2).elementsEqual("fA".utf8) else {
      return nil
    }
    guard !digits.isEmpty else { return 0 }
    // A hostile name may have too many digits for an integer.
    return Int(String(decoding: digits.reversed(), as: UTF8.self)).flatMap {
      $0 < Int.max ? $0 + 1 : nil
    }
  }

  // MARK: Its context

  /// The outermost module and type; nil if the name has none.
  package var context: SwiftContext? {
    var name = name
    return name.withUTF8 { utf8 in
      var parser = SwiftContextParser(utf8)
      return parser.module().map {
        SwiftContext(module: $0, type: parser.typeName, extending: parser.extending)
      }
    }
  }
}
