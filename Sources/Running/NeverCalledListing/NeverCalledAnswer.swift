import DeadCode
import References

/// The never-called functions of a profile.
package struct NeverCalledAnswer: Sendable {
  package var list: DeadCodeList
  /// What refers to them; nil: not asked for.
  package let references: FunctionReferences?
  /// Never-called functions that cannot be deleted, counted by what refers to them.
  package let undeletable: [ReferenceGroup: Int]
}
