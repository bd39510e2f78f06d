import Testing

@testable import ReportFormats

/// Texts of others in pages of ours.
@Suite struct PageTemplateTests {
  private func template(_ text: String) -> PageTemplate { PageTemplate(Array(text.utf8)) }

  @Test func textsAreEscapedBetweenTagsAndInAttributes() {
    let text = template("<a title=\"{{name}}\">{{name}}</a>\n").text(["name": "<b>&'\""])
    let escaped = "&lt;b&gt;&amp;&#39;&quot;"
    #expect(text == "<a title=\"\(escaped)\">\(escaped)</a>\n")
  }

  /// A quotation mark and the accent behind it are one character.
  @Test func anAccentDoesNotHideAQuotationMark() {
    let name = "\"\u{301} onfocus=alert(1) <\u{327}b>"
    for text in ["{{name}}", "{{#list}}{{.}}{{/list}}", "{{#one}}{{name}}{{/one}}"] {
      let page = template(text).text(["name": name, "list": [name], "one": ["x": "y"]])
      let scalars = page.unicodeScalars
      #expect(!scalars.contains("\"") && !scalars.contains("<"), "\(text): \(page)")
      #expect(scalars.starts(with: "&quot;\u{301} onfocus".unicodeScalars))
    }
  }

  @Test func markupIsTakenAsItIs() {
    #expect(template("{{{part}}}\n").text(["part": "<p>{{x}}</p>"]) == "<p>{{x}}</p>\n")
  }

  @Test func sectionsAreLeftOutWithTheirLines() {
    let list = template("a\n{{#list}}\n<i>{{.}}</i>\n{{/list}}\n{{^list}}\nnone\n{{/list}}\nz\n")
    #expect(list.text(["list": ["1", "2"]]) == "a\n<i>1</i>\n<i>2</i>\nz\n")
    #expect(list.text(["list": [String]()]) == "a\nnone\nz\n")
    #expect(list.text(["list": nil]) == "a\nnone\nz\n")
  }
}
