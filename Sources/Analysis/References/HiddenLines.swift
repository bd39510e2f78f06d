/// Tracks the `#if` lines of a file, to find lines that a build may have excluded.
struct HiddenLines {
  /// The branches from an `#if` to its `#endif`.
  private struct Branches {
    /// Whether the current branch may be excluded.
    var isHidden: Bool
    /// Whether an earlier branch is certainly compiled.
    var isDecided: Bool
    /// Whether an earlier branch may be compiled.
    var isDoubtful: Bool
  }

  private let conditions: BuildConditions
  private var open: [Branches] = []

  init(_ conditions: BuildConditions) {
    self.conditions = conditions
  }

  /// Whether the current line may be excluded.
  var isHidden: Bool { open.contains(where: \.isHidden) }

  /// - Parameters:
  ///   - directive: `if`, `else` and so on.
  ///   - condition: the text after the directive.
  ///   - isGuard: whether this is a header's include guard.
  mutating func read(_ directive: Substring, _ condition: Substring, isGuard: Bool = false) {
    switch directive {
    case "if", "ifdef", "ifndef":
      open.append(Branches(isHidden: false, isDecided: false, isDoubtful: false))
      begin(isGuard ? true : directive == "if" ? conditions.value(of: condition) : nil)
    case "elseif", "elif": begin(conditions.value(of: condition))
    case "else": begin(true)
    case "endif": _ = open.popLast()
    default: break
    }
  }

  /// - Parameter condition: whether the branch is compiled if no earlier one is; nil if uncertain.
  private mutating func begin(_ condition: Bool?) {
    guard var branches = open.popLast() else { return }
    let isCompiled = condition == true && !branches.isDecided && !branches.isDoubtful
    branches.isHidden = !isCompiled
    branches.isDecided = branches.isDecided || isCompiled
    branches.isDoubtful = branches.isDoubtful || condition == nil
    open.append(branches)
  }
}
