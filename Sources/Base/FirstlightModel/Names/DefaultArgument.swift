/// Names default arguments without a function: those of an enum's cases, and those of functions without code.
package enum DefaultArgument {
  /// The name for a family that has only default arguments.
  ///
  /// - Parameter generators: the mangled names of the functions that make the arguments.
  package static func name(of root: String, generators: some Sequence<String>) -> String {
    let numbers = Set(generators.map { SwiftSymbol($0)?.defaultArgument })
    guard numbers.count == 1, let only = numbers.first, let number = only else {
      return "default arguments of " + root
    }
    return "default argument \(number) of " + root
  }
}
