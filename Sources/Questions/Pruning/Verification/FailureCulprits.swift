import FirstlightModel

/// Finds the removed candidates that a failed build misses, from the names in its errors.
struct FailureCulprits {
  private let candidates: [PruneCandidate]
  private let removed: [Int]

  init(_ candidates: [PruneCandidate], removed: Set<Int>) {
    self.candidates = candidates
    self.removed = removed.sorted()
  }

  /// The removed candidates named in errors, each with the first such line; empty if there are
  /// none.
  func find(in lines: [String]) -> [Int: String] {
    var culprits: [Int: String] = [:]
    for error in errors(lines) {
      let names = error.flatMap(Self.quoted)
      var found = removed.filter { number in names.contains { isName($0, of: number) } }
      // Errors about calls of initializers name the type.
      if found.isEmpty {
        found = removed.filter { isInitializer($0) && names.contains(owners($0).last ?? "") }
      }
      if found.isEmpty {
        found = removed.filter { !Set(names).isDisjoint(with: owners($0)) }
      }
      for number in found where culprits[number] == nil { culprits[number] = error[0] }
    }
    return culprits
  }

  // MARK: Lines

  /// The line of each error with those of its notes.
  private func errors(_ lines: [String]) -> [[String]] {
    var errors: [[String]] = []
    var isOpen = false
    for line in lines {
      if line.containsUTF8("error: ") || line.containsUTF8("undefined reference to ") {
        errors.append([line])
        isOpen = true
      } else if line.containsUTF8("warning: ") {
        isOpen = false
      } else if isOpen, line.containsUTF8("note: ") {
        errors[errors.count - 1].append(line)
      }
    }
    return errors
  }

  /// Texts in any quotes, and symbols that a linker misses.
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
    let last = name.containsUTF8("(") ? name : name.split(at: ".").last ?? name
    let base = wanted.prefix(upToAny: "(")
    return last == base
      || last.begins(with: base + "(") && last.ends(with: wanted[base.endIndex...])
  }

  private func isInitializer(_ number: Int) -> Bool {
    ["init", "subscript"].contains(candidates[number].target.name.prefix(upToAny: "("))
  }

  /// The types in a name: `Shop` and `Ware` of `Shop.Ware.price(of:)`.
  private func owners(_ number: Int) -> [Substring] {
    let name = candidates[number].name
    let base = name.prefix(upToAny: "(")
    return base.split(at: ".").dropLast()
  }
}

/// The line that explains a failed build or test.
enum FailureLine {
  private static let marks = [
    "error: ", "undefined reference to ", "*** ", "✘ ", "FAILED", "Fatal error",
  ]

  /// Nil if there is none.
  static func first(of lines: [String]) -> String? {
    for mark in marks {
      if let line = lines.first(where: { $0.containsUTF8(mark) }) {
        return String(line.drop(any: " ").prefix(300))
      }
    }
    return nil
  }
}
