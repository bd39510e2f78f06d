/// A place in the source.
public struct SourceLocation: Hashable, Sendable {
  /// Path as the compiler recorded it; `<compiler-generated>` for code that Swift made up.
  public var file: String
  /// 0: made by the compiler, no line of the source stands for it.
  public var line: Int
  /// 0: unknown.
  public var column: Int

  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
}

/// One function at an address: the one whose code it is, or one inlined there.
public struct Frame: Hashable, Sendable {
  /// The name the linker knows; empty if nothing names it.
  public var function: String
  /// Where in this function: for all but the innermost, where it calls the next inner one.
  public var location: SourceLocation?

  public init(function: String, location: SourceLocation?) {
    self.function = function
    self.location = location
  }

  public var file: String? { location?.file }
  public var line: Int { location?.line ?? 0 }
  public var column: Int { location?.column ?? 0 }
}
