/// Formats a commit as `git format-patch` does, for `git am`.
package struct MailPatch {
  /// "Name <address>".
  package var author: String
  /// Seconds since 1970.
  package var date: Double
  package var subject: String
  /// Place in a series, from 1, and the series' length.
  package var number: Int
  package var count: Int
  /// The text of the commit below its subject. No line may begin as a patch does.
  package var body: String
  package var changes: [FileChange]

  package init(
    author: String, date: Double, subject: String, number: Int, count: Int, body: String,
    changes: [FileChange]
  ) {
    self.author = author
    self.date = date
    self.subject = subject
    self.number = number
    self.count = count
    self.body = body
    self.changes = changes
  }

  /// - Parameter version: of the program that signs the message.
  package func bytes(version: String) -> [UInt8] {
    let series = count > 1 ? "[PATCH \(number)/\(count)]" : "[PATCH]"
    // `git am` wants a line like this, and ignores the commit's name in it.
    let head = """
      From \(String(repeating: "0", count: 40)) Mon Sep 17 00:00:00 2001
      From: \(MailHeader.address(author))
      Date: \(MailHeader.date(date))
      Subject: \(series) \(MailHeader.text(subject))
      MIME-Version: 1.0
      Content-Type: text/plain; charset=UTF-8
      Content-Transfer-Encoding: 8bit

      \(body)
      ---
      \(statistics)

      """
    return Array(head.utf8) + UnifiedDiff.bytes(changes)
      + Array("-- \nfirstlight \(version)\n\n".utf8)
  }

  /// Changed lines by file, as `git diff --stat` shows them.
  private var statistics: String {
    var text = ""
    var (removed, added) = (0, 0)
    for change in changes {
      let counts = change.lineCounts
      removed += counts.removed
      added += counts.added
      text += " \(PatchPath(change.path).quoted) | \(counts.removed + counts.added)\n"
    }
    return text + " \(CountText.text(changes.count, "file")) changed, "
      + "\(added) insertions(+), \(removed) deletions(-)\n"
  }
}

/// Values in the header of a mail (RFC 5322, RFC 2047).
enum MailHeader {
  /// A text, encoded unless it is ASCII.
  static func text(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return text }
    // An encoded word has at most 75 characters, and no part of a character.
    var words: [String] = []
    var word = ""
    for character in text {
      let encoded = character.utf8.map(encoded).joined()
      if word.utf8.count + encoded.utf8.count > 60 {
        words.append(word)
        word = ""
      }
      word += encoded
    }
    return (words + [word]).map { "=?UTF-8?q?\($0)?=" }.joined(separator: "\n ")
  }

  private static func encoded(_ byte: UInt8) -> String {
    let character = Character(UnicodeScalar(byte))
    if byte < 0x80, character.isLetter || character.isNumber { return String(character) }
    let digits = String(byte, radix: 16, uppercase: true)
    return "=" + (digits.count < 2 ? "0" : "") + digits
  }

  /// "Name <address>".
  static func address(_ author: String) -> String {
    guard let start = author.lastIndex(of: "<") else { return text(author) }
    let name = author[..<start].drop { $0 == " " }
    let shown = String(name.last == " " ? name.dropLast() : name)
    let isPlain = shown.utf8.allSatisfy { byte in
      (0x20..<0x7f).contains(byte) && !#"()<>@,;:\".[]"#.utf8.contains(byte)
    }
    guard !isPlain, shown.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
      return "\(text(shown)) \(author[start...])"
    }
    let quoted = shown.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(quoted)\" \(author[start...])"
  }

  /// "Thu, 26 Nov 2026 00:33:31 +0000".
  static func date(_ secondsSince1970: Double) -> String {
    let moment = TimeText.moment(secondsSince1970)
    let parts = moment.split(separator: " ")
    guard parts.count == 3 else { return "Thu, 1 Jan 1970 00:00:00 +0000" }
    let day = parts[0].split(separator: "-")
    let days = Int((secondsSince1970 / 86400).rounded(.down))
    // 1 January 1970 was a Thursday.
    let weekday = weekdays[((days + 4) % 7 + 7) % 7]
    let month = months[(Int(day[1]) ?? 1) - 1]
    return "\(weekday), \(Int(day[2]) ?? 1) \(month) \(day[0]) \(parts[1]) +0000"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
