import Foundation
import TestSupport
import Testing
import TextFormatting

/// Mails are what `git am` takes.
@Suite struct MailPatchTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try git("init", "-q", ".")
  }

  @discardableResult
  private func git(_ arguments: String...) throws -> String {
    try Command.check(
      ["git", "-c", "user.name=Committer", "-c", "user.email=c@example.org"] + arguments,
      in: directory.url)
  }

  /// Commits a text, applies a mail that replaces it, and returns the log in a format.
  private func applied(
    _ author: String, subject: String, body: String = "Because.", from old: String = "a\n",
    to new: String = "b\n", format: String, options: String...
  ) throws -> String {
    try directory.write(old, to: "a.txt")
    try git("add", "a.txt")
    try git("-c", "core.autocrlf=false", "commit", "-qm", "first")
    let mail = MailPatch(
      author: author, date: 1_790_000_000, subject: subject, number: 1, count: 1, body: body,
      changes: [FileChange(path: "a.txt", from: Array(old.utf8), to: Array(new.utf8))])
    let path = directory.path("0001.patch")
    try Data(mail.bytes(version: "1.0")).write(to: URL(fileURLWithPath: path))
    try Command.check(
      ["git", "-c", "user.name=C", "-c", "user.email=c@example.org", "am", "-q"] + options
        + [path], in: directory.url)
    let text = try String(contentsOfFile: directory.path("a.txt"), encoding: .utf8)
    #expect(text == new)
    return try git("log", "-1", "--date=iso", "--format=\(format)")
  }

  @Test func commitHasAuthorDateSubjectAndBody() throws {
    let log = try applied(
      "Ann Bee <ann@example.org>", subject: "Remove two", body: "Because:\n\n  f()  a.c:1",
      format: "%an|%ae|%ad|%s|%b")
    #expect(
      log == "Ann Bee|ann@example.org|2026-09-21 14:13:20 +0000|Remove two|"
        + "Because:\n\n  f()  a.c:1\n\n")
  }

  @Test func namesAndSubjectsOfAnyLanguageArrive() throws {
    let subject = String(repeating: "Größe änderte ß 名前 ", count: 8) + "x"
    let log = try applied("Jürgen Straße <j@example.org>", subject: subject, format: "%an|%s")
    #expect(log == "Jürgen Straße|\(subject)\n")
  }

  @Test func nameWithPunctuationIsQuoted() throws {
    let log = try applied(
      "A. \"Bo\" B (C) <a@example.org>", subject: "S", format: "%an <%ae>")
    #expect(log == "A. \"Bo\" B (C) <a@example.org>\n")
  }

  @Test func carriageReturnsNeedKeepCR() throws {
    _ = try applied(
      "A <a@b>", subject: "S", from: "a\r\nb\r\n", to: "a\r\n", format: "%s", options: "--keep-cr")
  }

  @Test func seriesIsNumbered() {
    let mail = MailPatch(
      author: "A <a@b>", date: 0, subject: "S", number: 2, count: 12, body: "B", changes: [])
    let text = String(decoding: mail.bytes(version: "1"), as: UTF8.self)
    #expect(text.contains("\nSubject: [PATCH 2/12] S\n"))
    #expect(text.contains("\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n"))
  }
}
