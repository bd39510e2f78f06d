/// Follows the `#if` lines of a file: which of its lines a build may have left out.
struct HiddenLines {
  /// One `#if` to its `#endif`.
  private struct Branches {
    /// Whether the branch that is read may be left out.
    var isHidden: Bool
    /// Whether an earlier branch is compiled for certain.
    var isDecided: Bool
    /// Whether an earlier branch may be compiled.
    var isDoubtful: Bool
  }

  private let conditions: BuildConditions
  private var open: [Branches] = []

  init(_ conditions: BuildConditions) {
    self.conditions = conditions
  }

  /// Whether a line at this place may be left out.
  var isHidden: Bool { open.contains(where: \.isHidden) }

  /// - Parameters:
  ///   - directive: `if`, `else` and so on.
  ///   - condition: what stands behind it.
  ///   - isGuard: whether it keeps a header from being read twice.
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

  /// - Parameter condition: whether the branch is compiled if no earlier one is; nil: not certain.
  private mutating func begin(_ condition: Bool?) {
    guard var branches = open.popLast() else { return }
    let isCompiled = condition == true && !branches.isDecided && !branches.isDoubtful
    branches.isHidden = !isCompiled
    branches.isDecided = branches.isDecided || isCompiled
    branches.isDoubtful = branches.isDoubtful || condition == nil
    open.append(branches)
  }
}
