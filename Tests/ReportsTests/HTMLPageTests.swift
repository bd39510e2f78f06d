import Reports
import Testing

/// The frame of all pages, and their tables.
@Suite struct HTMLPageTests {
  @Test func aPageWithoutScriptHasNoScriptElement() {
    let page = HTMLPage.text(title: "a < b", style: "p { x: y }\n", body: "<h1>x</h1>\n")
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"))
    #expect(page.contains("<title>a &lt; b</title>\n"))
    #expect(page.contains("p { x: y }\n</style>\n"))
    #expect(page.hasSuffix("<body>\n<main>\n<h1>x</h1>\n</main>\n</body>\n</html>\n"))
  }

  /// Names in the data may look like the end of the element, and as large as data get.
  @Test func dataCannotEndTheirElement() {
    let page = HTMLPage.text(
      title: "", style: "", body: "", data: "[\"</script>{{title}}\"]", script: "run({{}})\n")
    let data =
      "<script type=\"application/json\" id=\"data\">[\"\\u003c/script>{{title}}\"]</script>\n"
    #expect(page.contains(data + "<script>\nrun({{}})\n</script>\n</body>"))
    #expect(HTMLPage.scriptText("run({{}})\n") == "\nrun({{}})\n")
  }

  @Test func aTableNamesItsRowsAndAlignsItsNumbers() {
    let table = HTMLTable.html(
      caption: "<c>", head: ["Name", "Text", "Count"],
      rows: [["a&b", "x", "1"], ["c", "y", "2"]],
      leftColumns: [1], rowClass: { $0 == 1 ? "worse" : "" })
    #expect(
      table.text == """
        <div class="scroll" tabindex="0"><table>
        <caption>&lt;c&gt;</caption>
        <thead><tr><th scope="col">Name</th><th scope="col">Text</th>\
        <th scope="col" class="n">Count</th></tr></thead>
        <tbody>
        <tr><th scope="row">a&amp;b</th><td>x</td><td class="n">1</td></tr>
        <tr class="worse"><th scope="row">c</th><td>y</td><td class="n">2</td></tr>
        </tbody></table></div>

        """)
  }

  @Test func aTableWithoutRowsSaysSoAndNotesStandBelow() {
    #expect(
      HTMLTable.html(caption: "<c>", head: ["Name"], rows: [], note: "a < b").text
        == "<h2>&lt;c&gt;</h2>\n<p>None.</p>\n<p class=\"small\">a &lt; b</p>\n")
  }

  @Test func textsAreEscapedBetweenTagsAndInAttributes() {
    let name = "<b>&'\""
    let link: HTML = "<a title=\"\(name)\">\(name)</a>"
    let escaped = "&lt;b&gt;&amp;&#39;&quot;"
    #expect(link.text == "<a title=\"\(escaped)\">\(escaped)</a>")
    let nothing: HTML? = nil
    #expect(("\(nothing)\([link, link])\(3)" as HTML).text == link.text + link.text + "3")
  }

  /// A quotation mark and the accent behind it are one character.
  @Test func anAccentDoesNotHideAQuotationMark() {
    let html: HTML = "\("\"\u{301} onfocus=alert(1) <\u{327}b>" as String)"
    let scalars = html.text.unicodeScalars
    #expect(!scalars.contains("\"") && !scalars.contains("<"))
    #expect(scalars.starts(with: "&quot;\u{301} onfocus".unicodeScalars))
  }
}
