/// What one imported file says was called.
package struct ImportedCalls {
  /// Indices of guards.
  package var guards: Set<Int> = []
  /// Functions of the file that are in the binary, and that are not.
  package var known = 0
  package var unknown = 0
  /// Names the file's contents.
  package var digest: String
}
