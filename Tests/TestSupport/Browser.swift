import Foundation
import Testing

/// A page in a real browser, without network.
package enum Browser {
  /// Opens a page and has it answer: `script` fills the object `answers`, to which errors are added.
  package static func ask<Answers: Decodable>(
    _ page: String, _ script: String, width: Int = 1200, as: Answers.Type
  ) throws -> Answers {
    // Errors are noted from the first script on; what is asked is asked after the last one.
    let watch = """
      <script>var errors = []; addEventListener("error", event => errors.push(event.message));
      console.error = (...words) => errors.push(words.join(" "));</script>
      """
    let asking = """
      <script>
      const answers = {};
      try { \(script) } catch (error) { errors.push(String(error)); }
      answers.errors = errors;
      document.body.innerHTML =
        "<pre id=answers>" + encodeURIComponent(JSON.stringify(answers)) + "</pre>";
      </script>
      """
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      page.replacing("<head>", with: "<head>\(watch)", maxReplacements: 1)
        .replacing("</body>", with: "\(asking)</body>", maxReplacements: 1), to: "page.html")
    let dump = try Command.check([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--window-size=\(width),900", "--user-data-dir=\(directory.path("browser"))", "--dump-dom",
      "file://\(file)",
    ])
    let start = try #require(dump.range(of: "<pre id=\"answers\">"), "\(dump.suffix(2000))")
    let end = try #require(dump.range(of: "</pre>", range: start.upperBound..<dump.endIndex))
    let json = try #require(
      String(dump[start.upperBound..<end.lowerBound]).removingPercentEncoding)
    return try JSONDecoder().decode(Answers.self, from: Data(json.utf8))
  }
}
