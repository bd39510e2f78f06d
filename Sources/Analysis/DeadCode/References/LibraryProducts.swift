/// The modules of a package's library products according to its manifest, which other packages can import.
///
/// The manifest is parsed as text, not run: `swift package describe` takes a second and needs the
/// package's tools version. A list of targets computed by code is not found.
package enum LibraryProducts {
  /// - Parameter manifest: the text of `Package.swift`.
  /// - Returns: names of the modules.
  package static func modules(_ manifest: String) -> Set<String> {
    let text = withoutComments(manifest)
    var modules: Set<String> = []
    for part in pieces(of: text[...], after: ".library(") {
      let product = part.prefix { $0 != ")" }
      guard let list = pieces(of: product, after: "targets:").first?.drop(while: { $0 != "[" })
      else { continue }
      let names = list.prefix { $0 != "]" }.split(
        separator: "\"", omittingEmptySubsequences: false)
      for place in stride(from: 1, to: names.count, by: 2) {
        modules.insert(module(ofTarget: names[place]))
      }
    }
    return modules
  }

  /// A target's module name: characters that Swift names cannot contain become underscores.
  private static func module(ofTarget name: Substring) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  private static func withoutComments(_ text: String) -> String {
    text.lines.map { line in
      line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
  }

  /// The texts after each occurrence of a mark.
  private static func pieces(of text: Substring, after mark: String) -> [Substring] {
    text.ranges(of: mark).map { text[$0.upperBound...] }
  }
}
