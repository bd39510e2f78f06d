import FirstlightModel

/// The libraries of a project: the modules of a package's library products according to its manifest, which other
/// packages can import; and whether other build scripts make any.
///
/// The manifest is parsed as text, not run: `swift package describe` takes a second and needs the
/// package's tools version. A list of targets computed by code is not found.
enum LibraryProducts {
  /// - Parameter manifest: the text of `Package.swift`.
  /// - Returns: names of the modules.
  static func modules(_ manifest: String) -> Set<TextBytes> {
    let text = withoutComments(manifest)
    var modules: Set<TextBytes> = []
    for part in pieces(of: text[...], after: ".library(") {
      let product = part.prefix(upToAny: ")")
      guard let list = pieces(of: product, after: "targets:").first?.cut(at: "[")?.behind
      else { continue }
      let names = list.prefix(upToAny: "]").split(at: "\"", omittingEmpty: false)
      for place in stride(from: 1, to: names.count, by: 2) {
        modules.insert(module(ofTarget: names[place]))
      }
    }
    return modules
  }

  /// A target's module name: characters that Swift names cannot contain become underscores.
  private static func module(ofTarget name: Substring) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { $0.properties.isXIDContinue ? $0 : "_" }))
  }

  private static func withoutComments(_ text: String) -> String {
    text.lines.map { line in
      line.drop(any: " \t").begins(with: "//") ? "" : line
    }.joined(separator: "\n")
  }

  /// The texts after each occurrence of a mark.
  private static func pieces(of text: Substring, after mark: String) -> [Substring] {
    text.split(at: mark, omittingEmpty: false).dropFirst().map { text[$0.startIndex...] }
  }

  // MARK: Other build systems

  /// The words with which build scripts make libraries for others, by the ending or the first part of their names.
  private static let makers: [TextBytes: Set<TextBytes>] = {
    let make: Set<TextBytes> = [
      "ar", "AR", "shared", "libtool", "LIBTOOL", "lib_LTLIBRARIES", "lib_LIBRARIES",
    ]
    var makers: [TextBytes: Set<TextBytes>] = [:]
    for name in ["makefile", "gnumakefile", "mk", "mak", "make", "am", "sh"] {
      makers[name] = make
    }
    for name in ["cmakelists", "cmake"] { makers[name] = ["add_library"] }
    makers["build"] = ["library", "static_library", "shared_library", "both_libraries"]
    for name in ["bazel", "bzl"] { makers[name] = ["cc_library", "cc_shared_library"] }
    makers["zig"] = ["addLibrary", "addStaticLibrary", "addSharedLibrary"]
    for name in ["sconstruct", "sconscript"] {
      makers[name] = ["Library", "StaticLibrary", "SharedLibrary"]
    }
    makers["wscript"] = ["stlib", "shlib"]
    return makers
  }()

  /// The words to look for in a project's files.
  static let words = makers.values.reduce(into: Set<TextBytes>()) { $0.formUnion($1) }

  /// Whether a project's build scripts make a library. Any that they make counts: nothing shows who uses it.
  ///
  /// - Parameter isOwn: whether a file belongs to the project.
  static func areMade(_ words: ProjectWords, where isOwn: (String) -> Bool) -> Bool {
    self.words.contains { word in
      words.all(word.text).contains { makes(word.text, in: $0.file) && isOwn($0.file) }
    }
  }

  private static func makes(_ word: String, in file: String) -> Bool {
    let parts = BaseName.of(file).lowercased().split(at: ".")
    return [parts.first, parts.last].contains { part in
      part.flatMap { makers[$0] }?.contains(word) == true
    }
  }

  /// Whether a file is a header of C or C++.
  static func isHeader(_ file: String) -> Bool {
    [".h", ".hh", ".hpp", ".hxx", ".h++"].contains { (ending: String) in file.ends(with: ending) }
  }
}
