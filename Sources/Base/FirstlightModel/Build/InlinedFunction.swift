/// A function of the source that the compiler copied into others, according to debug information.
package struct InlinedFunction: Hashable, Sendable {
  /// The name the linker would know; for C the plain one.
  package var name: String
  package var demangledName: String
  /// Swift module, or for other languages the empty string.
  package var module: String
  package var file: String?
  package var line: Int
  /// Entry guards of the functions that hold a copy, rising.
  package var hosts: [UInt32]
  /// Whether a function without guard holds a copy, or the holder of one is unknown: then nothing shows
  /// whether the copy ran.
  package var hasUnwatchedHost: Bool
  /// At level `edge`: guards within copies, rising. A call that reached one ran the function.
  package var guards: [UInt32]

  package init(
    name: String, demangledName: String, module: String, file: String?, line: Int,
    hosts: [UInt32], hasUnwatchedHost: Bool, guards: [UInt32]
  ) {
    self.name = name
    self.demangledName = demangledName
    self.module = module
    self.file = file
    self.line = line
    self.hosts = hosts
    self.hasUnwatchedHost = hasUnwatchedHost
    self.guards = guards
  }
}
