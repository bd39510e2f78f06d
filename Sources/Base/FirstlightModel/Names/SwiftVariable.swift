/// Recognizes functions that Swift generates for global and static stored variables, by mangled name
/// (docs/ABI/Mangling.rst of the Swift project).
package enum SwiftVariable {
  /// Returns the address of a stored variable, and initializes the variable first if that takes code:
  /// `$s1M1xSivau`.
  package static func isAddressor(_ name: String) -> Bool { name.ends(with: "vau") }

  /// Sets a static variable: `$s1M1SV1xSivsZ`.
  package static func isStaticSetter(_ name: String) -> Bool { name.ends(with: "vsZ") }

  /// Initializes a variable at its first use: `$s1M1x_WZ`.
  package static func isOnceInitializer(_ name: String) -> Bool { name.ends(with: "_WZ") }

  /// Whether a linker name is that of a closure, but not of an autoclosure, in a variable's initial value.
  package static func isClosureOfInitialValue(_ name: String) -> Bool {
    guard name.ends(with: "_"), name.containsUTF8("vpfi") || name.containsUTF8("vpZfi") else {
      return false
    }
    return name.utf8.dropLast().last { !$0.isASCIIDigit } == UInt8(ascii: "U")
  }
}

/// Names default arguments without a function: those of an enum's cases, and those of functions without code.
package enum DefaultArgument {
  /// The name for a family that has only default arguments.
  ///
  /// - Parameter generators: the mangled names of the functions that make the arguments.
  package static func name(of root: String, generators: some Sequence<String>) -> String {
    let numbers = Set(generators.map(number))
    guard numbers.count == 1, let only = numbers.first, let number = only else {
      return "default arguments of " + root
    }
    return "default argument \(number) of " + root
  }

  /// The parameter's number, from 0: `fA_` is the first, `fA0_` the second (docs/ABI/Mangling.rst of the Swift
  /// project). Nil if the name does not contain one.
  private static func number(_ generator: String) -> Int? {
    guard generator.ends(with: "_") else { return nil }
    let digits = generator.utf8.dropLast().reversed().prefix { (48...57).contains($0) }
    guard generator.utf8.dropLast(1 + digits.count).suffix(2).elementsEqual("fA".utf8) else {
      return nil
    }
    guard !digits.isEmpty else { return 0 }
    // A hostile name may have too many digits for an integer.
    return Int(String(decoding: digits.reversed(), as: UTF8.self)).flatMap {
      $0 < Int.max ? $0 + 1 : nil
    }
  }
}
