import FirstlightModel
import SystemSupport
import Yams

/// The rules of a `.firstlight.yml`. They name functions to keep although nothing calls them, and separate the
/// project's own code from dependencies.
///
///     keep:
///       - symbol: "Plugin.*"        # any of symbol, module and path; patterns
///         path: "Sources/Plugins/*"
///         reason: called by name through dlsym
///     own: ["Sources/*"]
///     dependencies: ["Sources/Copied/*"]
///     tests: ["Sources/Checks/*"]
package struct KeepRules: Sendable {
  private struct Rule: Sendable {
    var symbol, module, path: String?
    var reason: String
  }

  /// The file's name. It is expected in the working directory.
  package static let fileName = ".firstlight.yml"

  private let rules: [Rule]
  /// Patterns of files that are the project's own code; all other files are not. Empty: unspecified.
  package private(set) var own: [String] = []
  /// Patterns of the files that are dependencies.
  package private(set) var dependencies: [String] = []
  /// Patterns of the files that are tests.
  package private(set) var tests: [String] = []

  package init() { rules = [] }

  /// Parses a file's text.
  ///
  /// - Throws: `Failure` of kind `data` that names the file and the error in it.
  package init(_ text: String, path: String) throws(Failure) {
    func wrong(_ what: String) -> Failure {
      Failure(.data, "\(path): \(what)", advice: "see Documentation/Dead.md for the format")
    }
    let document: Node?
    do {
      document = try Yams.compose(yaml: text)
    } catch {
      throw wrong("not YAML: \("\(error)".split(at: "\n").first ?? "")")
    }
    var rules: [Rule] = []
    if let document, document != Node("") {
      guard let mapping = document.mapping else { throw wrong("the top level must be a mapping") }
      for (key, value) in mapping {
        let name = key.string ?? "?"
        guard ["keep", "own", "dependencies", "tests"].contains(name) else {
          throw wrong("unknown key '\(name)'")
        }
        guard let list = value.sequence else { throw wrong("'\(name)' must be a list") }
        for (index, entry) in list.enumerated() {
          func wrongEntry(_ what: String) -> Failure {
            wrong("\(name), entry \(index + 1): \(what)")
          }
          if name == "keep" {
            rules.append(try Self.rule(entry, wrong: wrongEntry))
            continue
          }
          guard let pattern = entry.string else { throw wrongEntry("must be a pattern of paths") }
          switch name {
          case "own": own.append(pattern)
          case "tests": tests.append(pattern)
          default: dependencies.append(pattern)
          }
        }
      }
    }
    self.rules = rules
  }

  private static func rule(
    _ entry: Node, wrong: (String) -> Failure
  ) throws(Failure) -> Rule {
    guard let mapping = entry.mapping else { throw wrong("must be a mapping") }
    var rule = Rule(reason: "")
    for (key, value) in mapping {
      guard let text = value.string else { throw wrong("'\(key.string ?? "?")' must be a string") }
      switch key.string {
      case "symbol": rule.symbol = text
      case "module": rule.module = text
      case "path": rule.path = text
      case "reason": rule.reason = text
      default: throw wrong("unknown key '\(key.string ?? "?")'")
      }
    }
    guard rule.symbol != nil || rule.module != nil || rule.path != nil else {
      throw wrong("needs symbol, module or path")
    }
    guard !rule.reason.isEmpty else { throw wrong("needs a reason") }
    return rule
  }

  /// Why a function is kept; nil if no rule matches.
  ///
  /// - Parameter path: the function's file, relative to the working directory.
  package func reason(for function: FunctionReport, path: String?) -> String? {
    rules.first { rule in
      let fitsSymbol =
        rule.symbol.map { pattern in
          [function.name, function.shortName, function.mangledName].contains {
            Glob.matches(pattern, $0)
          }
        } ?? true
      let fitsModule = rule.module.map { Glob.matches($0, function.module) } ?? true
      let fitsPath =
        rule.path.map { pattern in path.map { Glob.matches(pattern, $0) } ?? false } ?? true
      return fitsSymbol && fitsModule && fitsPath
    }?.reason
  }
}
