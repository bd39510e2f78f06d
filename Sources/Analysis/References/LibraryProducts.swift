/// The targets of a package's library products, as its manifest says: what others can import.
///
/// The manifest is read as text, not run: `swift package describe` takes a second and needs the
/// package's tools version. A list of targets that code puts together is not found.
package enum LibraryProducts {
  /// - Parameter manifest: the text of `Package.swift`.
  /// - Returns: names of modules.
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

  /// A target's module: letters that Swift's names cannot hold are underscores.
  private static func module(ofTarget name: Substring) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  private static func withoutComments(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return lines.map { line in
      line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
  }

  /// What follows each place of a mark.
  private static func pieces(of text: Substring, after mark: String) -> [Substring] {
    text.ranges(of: mark).map { text[$0.upperBound...] }
  }
}
