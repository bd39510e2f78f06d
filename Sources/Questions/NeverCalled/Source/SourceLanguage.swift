import FirstlightModel

/// The rules by which a file's comments and literals are found.
package enum SourceLanguage: Sendable {
  /// C, C++ and Objective-C.
  case c
  case swift
  /// Another language with braces, read much like C.
  case other
  /// Scripts, assembly and data: all of it is code.
  case plain

  private static let endingsOfC: Set<TextBytes> = [
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "inc", "inl", "def", "m", "mm",
  ]

  /// The language of a compiled file.
  package init(of file: String) {
    let name = BaseName.of(file).lowercased()
    let ending = name.split(at: ".").last.map(String.init) ?? ""
    self =
      ending == "swift" ? .swift : Self.endingsOfC.contains(ending) && name != ending ? .c : .other
  }
}
