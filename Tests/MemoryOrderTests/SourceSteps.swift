import Foundation
import TestSupport

/// The accesses of a function as its source has them: models take their memory orders from here, so that
/// they are of the code that runs.
struct SourceSteps {
  struct Missing: Error, CustomStringConvertible { var description: String }

  /// One for each step.
  private let orders: [MemoryOrder]

  /// - Parameters:
  ///   - file: path within the project.
  ///   - function: text that only its head has.
  ///   - steps: texts of its body, each found behind the one before. An order that follows one, before the
  ///     statement's end, is its order; without any it is relaxed.
  init(_ file: String, _ function: String, _ steps: [String]) throws {
    let url = Toolchain.project.appending(path: file)
    let text = try String(contentsOf: url, encoding: .utf8)
    guard let head = text.range(of: function),
      text.range(of: function, range: head.upperBound..<text.endIndex) == nil
    else { throw Missing(description: "\(file): '\(function)' is there once, or not at all") }
    // A function ends with a brace at its own indentation.
    let lineStart = text[..<head.lowerBound].lastIndex(of: "\n").map { text.index(after: $0) }
    let indent = text[(lineStart ?? text.startIndex)...].prefix { $0 == " " }
    guard
      let end = text.range(of: "\n\(indent)}", range: head.upperBound..<text.endIndex)
    else { throw Missing(description: "\(file): '\(function)' has no end") }
    var rest = text[head.upperBound..<end.lowerBound]
    var orders: [MemoryOrder] = []
    for step in steps {
      guard let place = rest.range(of: step) else {
        throw Missing(description: "\(file): \(function): no '\(step)' behind the step before")
      }
      rest = rest[place.upperBound...]
      let statement = rest.prefix { $0 != ";" && $0 != "{" }
      orders.append(Self.order(in: step + statement))
    }
    self.orders = orders
  }

  subscript(step: Int) -> MemoryOrder { orders[step] }

  /// The first order that a statement names, in C or in Swift.
  private static func order(in statement: String) -> MemoryOrder {
    for part in statement.split(whereSeparator: { !$0.isLetter && $0 != "_" && $0 != "." }) {
      if part.hasPrefix("__ATOMIC_") {
        return MemoryOrder(rawValue: String(part.dropFirst("__ATOMIC_".count))) ?? .relaxed
      }
      if part == ".acquiring" { return .acquire }
    }
    return .relaxed
  }
}
