/// A source function that the compiler inlined into others, according to debug information.
package struct InlinedFunction: Hashable, Sendable {
  /// The linker's name if the function had a symbol; for C the plain name.
  package var name: String
  package var demangledName: String
  /// The Swift module; empty for other languages.
  package var module: String
  package var file: String?
  package var line: Int
  /// Entry guards of the functions that contain an inlined copy, rising.
  package var hosts: [UInt32]
  /// Whether a copy lies in a function without guard, or in an unknown one: the recording cannot
  /// show whether that copy ran.
  package var hasUnwatchedHost: Bool

  package init(
    name: String, demangledName: String, module: String, file: String?, line: Int,
    hosts: [UInt32], hasUnwatchedHost: Bool
  ) {
    self.name = name
    self.demangledName = demangledName
    self.module = module
    self.file = file
    self.line = line
    self.hosts = hosts
    self.hasUnwatchedHost = hasUnwatchedHost
  }
}
