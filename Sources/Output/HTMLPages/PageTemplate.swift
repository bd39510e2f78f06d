import Mustache

/// A page, or a part of one, as a Mustache template: a file that was embedded in the program when it
/// was built. Parsed when it is first used, so programs that make no page never do.
///
/// `{{name}}` is escaped and may stand between tags and within quoted attributes; `{{{name}}}` is for
/// what is HTML already.
package struct PageTemplate: Sendable {
  private let template: MustacheTemplate

  /// - Parameter bytes: UTF-8. A template that does not parse is a mistake in Firstlight, and ends it.
  package init(_ bytes: [UInt8]) {
    do {
      template = try MustacheTemplate(
        string: Self.pragma + String(decoding: bytes, as: UTF8.self))
    } catch {
      fatalError("invalid template: \(error)")
    }
  }

  /// - Parameter values: by the names in the template: text, `Bool`, a dictionary, or arrays of these.
  ///   `nil` and an empty array leave a section out; an empty text does not.
  package func text(_ values: [String: Any?]) -> String {
    template.render(values.compactMapValues { $0 })
  }

  /// The first line of each template, which Mustache removes.
  private static let pragma: String = {
    MustacheContentTypes.register(EscapedHTML(), named: "FIRSTLIGHT_HTML")
    return "{{%CONTENT_TYPE:FIRSTLIGHT_HTML}}\n"
  }()

  /// Mustache's own escaping works on characters, and lets a quotation mark through that has a
  /// combining accent behind it.
  private struct EscapedHTML: MustacheContentType {
    func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
  }
}
