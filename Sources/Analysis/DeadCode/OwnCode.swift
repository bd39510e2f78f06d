/// Whose code a function is.
package enum CodeOrigin: String, Sendable {
  case own, tests, dependency
}

/// The rule that separates a project's own code from that of its tests and its dependencies: by the place of
/// the source file.
package struct OwnCode {
  /// Folders that hold others' code, wherever they lie in a project: SwiftPM's checkouts, CMake's
  /// `_deps`, and the two names that projects give to copies of others' sources.
  private static let foreign: Set<Substring> = ["checkouts", "_deps", "vendor", "third_party"]
  private static let tests: Set<Substring> = ["test", "tests", "Tests"]

  /// The project's folders, as a rule one: absolute paths.
  package let roots: [String]
  private let isNamedOwn: ((String) -> Bool)?
  private let isNamedForeign: (String) -> Bool

  /// - Parameters:
  ///   - isNamedOwn: the files that the user calls own code, no others; nil: the rule decides.
  ///   - isNamedForeign: the files that the user calls dependencies.
  package init(
    roots: [String], isNamedOwn: ((String) -> Bool)? = nil,
    isNamedForeign: @escaping (String) -> Bool = { _ in false }
  ) {
    self.roots = roots
    self.isNamedOwn = isNamedOwn
    self.isNamedForeign = isNamedForeign
  }

  /// - Parameter file: an absolute path.
  package func origin(of file: String) -> CodeOrigin {
    if isNamedForeign(file) { return .dependency }
    if let isNamedOwn { return isNamedOwn(file) ? .own : .dependency }
    guard let root = roots.first(where: { file.hasPrefix($0 == "/" ? $0 : $0 + "/") }) else {
      return .dependency
    }
    let folders = file.dropFirst(root.count).split(separator: "/").dropLast()
    if folders.contains(where: { $0.hasPrefix(".") || Self.foreign.contains($0) }) {
      return .dependency
    }
    return folders.contains { Self.tests.contains($0) || $0.hasSuffix("Tests") } ? .tests : .own
  }
}

extension [FunctionReport] {
  /// Gives functions without a file the origin of the other functions of their module.
  mutating func completeOrigins() {
    var modules: [String: CodeOrigin] = [:]
    for index in indices {
      guard let origin = self[index].origin else { continue }
      let module = self[index].module
      // A module of which anything is one's own is one's own.
      if origin == .own || modules[module] == nil { modules[module] = origin }
    }
    for index in indices where self[index].origin == nil {
      self[index].origin = modules[self[index].module]
    }
  }
}
