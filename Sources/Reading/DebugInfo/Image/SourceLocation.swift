/// A place in the source.
package struct SourceLocation: Hashable, Sendable {
  /// Path as the compiler recorded it; `<compiler-generated>` for code that Swift made up.
  package var file: String
  /// 0: made by the compiler, no line of the source stands for it.
  package var line: Int
  /// 0: unknown.
  package var column: Int

  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
}

/// One function at an address: the one whose code it is, or one inlined there.
package struct Frame: Hashable, Sendable {
  /// The name the linker knows; empty if nothing names it.
  package var function: String
  /// Where in this function: for all but the innermost, where it calls the next inner one.
  package var location: SourceLocation?

  package init(function: String, location: SourceLocation?) {
    self.function = function
    self.location = location
  }

  package var file: String? { location?.file }
  package var line: Int { location?.line ?? 0 }
  package var column: Int { location?.column ?? 0 }
}
