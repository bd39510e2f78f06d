/// The files that `optimize` makes of one program, by where they lie.
package struct ResultFiles {
  /// Of the directory.
  package let path: String
  /// Of the program's file.
  private let name: String

  init(_ path: String, name: String) {
    self.path = path
    self.name = name
  }

  package var before: String { "\(path)/before/\(name)" }
  package var after: String { "\(path)/after/\(name)" }
  package var recorded: String { "\(path)/recorded/\(name)" }
  /// What the user's own build made, while others replace it.
  var built: String { "\(path)/built" }
  package var profile: String { "\(path)/\(name).flp" }
  package var order: String { "\(path)/\(name).order" }
  /// Not `.o`: a build that cleans up first would take it along.
  package var prefetch: String { "\(path)/\(name).prefetch" }
  /// The flags to keep, for `$(cat FILE)` or, with clang and gcc, `@FILE`.
  package var flags: String { "\(path)/\(name).flags" }
  /// What was found, in words, as JSON and as a page.
  package func report(_ ending: String) -> String { "\(path)/\(name).\(ending)" }

  var all: [String] {
    [before, after, recorded, profile, order, prefetch, flags]
      + ["txt", "json", "html"].map(report)
  }

  var directories: [String] { ["before", "after", "recorded"].map { "\(path)/\($0)" } }
}
