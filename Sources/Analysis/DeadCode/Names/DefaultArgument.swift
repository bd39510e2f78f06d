/// Names default arguments without a function: those of an enum's cases, and those of functions without code.
enum DefaultArgument {
  /// The name for a family that has only default arguments.
  ///
  /// - Parameter generators: the mangled names of the functions that make the arguments.
  static func name(of root: String, generators: some Sequence<String>) -> String {
    let numbers = Set(generators.map(number))
    guard numbers.count == 1, let only = numbers.first, let number = only else {
      return "default arguments of " + root
    }
    return "default argument \(number) of " + root
  }

  /// The parameter's number, from 0: `fA_` is the first, `fA0_` the second (docs/ABI/Mangling.rst of the Swift
  /// project). Nil if the name does not contain one.
  private static func number(_ generator: String) -> Int? {
    guard generator.hasSuffix("_") else { return nil }
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
