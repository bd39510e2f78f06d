/// Finds what a failed build misses, by the names that its errors quote.
struct FailureCulprits {
  private let candidates: [PruneCandidate]
  private let removed: [Int]

  init(_ candidates: [PruneCandidate], removed: Set<Int>) {
    self.candidates = candidates
    self.removed = removed.sorted()
  }

  /// Removed candidates that errors name, each with the first line that does. Empty: no error names
  /// one.
  func find(in lines: [String]) -> [Int: String] {
    var culprits: [Int: String] = [:]
    for error in errors(lines) {
      let names = error.lines.flatMap(Self.quoted)
      var found = removed.filter { number in names.contains { isName($0, of: number) } }
      // Errors on calls of initializers name the type.
      if found.isEmpty {
        found = removed.filter { isInitializer($0) && names.contains(owners($0).last ?? "") }
      }
      if found.isEmpty {
        found = removed.filter { !Set(names).isDisjoint(with: owners($0)) }
      }
      for number in found where culprits[number] == nil { culprits[number] = error.lines[0] }
    }
    return culprits
  }

  // MARK: Lines

  private struct CompilerError {
    var lines: [String]
  }

  /// Each error with the notes behind it.
  private func errors(_ lines: [String]) -> [CompilerError] {
    var errors: [CompilerError] = []
    var isOpen = false
    for line in lines {
      if line.contains("error: ") || line.contains("undefined reference to ") {
        errors.append(CompilerError(lines: [line]))
        isOpen = true
      } else if line.contains("warning: ") {
        isOpen = false
      } else if isOpen, line.contains("note: ") {
        errors[errors.count - 1].lines.append(line)
      }
    }
    return errors
  }

  /// What stands in quotes of any kind, and what a linker misses.
  private static func quoted(_ line: String) -> [Substring] {
    var names: [Substring] = []
    for match in line.matches(of: /['‘"`]([^'’"`]+)['’"]/) { names.append(match.1) }
    for match in line.matches(of: /undefined symbol: (\S+)/) { names.append(match.1) }
    return names
  }

  // MARK: Names

  private func isName(_ name: Substring, of number: Int) -> Bool {
    let candidate = candidates[number]
    if !candidate.mangledName.isEmpty, name == candidate.mangledName { return true }
    let wanted = candidate.target.name
    if name == wanted { return true }
    let last = name.contains("(") ? name : name.split(separator: ".").last ?? name
    let base = wanted.prefix { $0 != "(" }
    return last == base
      || last.hasPrefix(base + "(") && last.hasSuffix(wanted.dropFirst(base.count))
  }

  private func isInitializer(_ number: Int) -> Bool {
    ["init", "subscript"].contains(candidates[number].target.name.prefix { $0 != "(" })
  }

  /// Of `Shop.Ware.price(of:)` the types: `Shop` and `Ware`.
  private func owners(_ number: Int) -> [Substring] {
    let name = candidates[number].name
    let base = name.prefix { $0 != "(" }
    return base.split(separator: ".").dropLast()
  }
}

/// The line that says why a build or its tests failed.
enum FailureLine {
  private static let marks = [
    "error: ", "undefined reference to ", "*** ", "✘ ", "FAILED", "Fatal error",
  ]

  /// Nil: none does.
  static func first(of lines: [String]) -> String? {
    for mark in marks {
      if let line = lines.first(where: { $0.contains(mark) }) {
        return String(line.drop { $0 == " " }.prefix(300))
      }
    }
    return nil
  }
}
