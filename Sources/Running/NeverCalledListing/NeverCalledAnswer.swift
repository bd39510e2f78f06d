import DeadCode
import References

/// The never-called functions of a profile.
package struct NeverCalledAnswer: Sendable {
  package var list: DeadCodeList
  /// Who refers to them; nil: nobody asked.
  package let references: FunctionReferences?
  /// Never-called functions that cannot be deleted, counted by what refers to them.
  package let undeletable: [ReferenceGroup: Int]
}
