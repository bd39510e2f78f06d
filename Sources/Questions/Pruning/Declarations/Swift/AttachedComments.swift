import SwiftSyntax

/// Finds the comments above a declaration that belong to it.
///
/// Documentation comments belong to it, and other comments without a blank line between. Comments
/// at the head of a section or of the file stay, as does a comment on the line of preceding code.
enum AttachedComments {
  private struct Comment {
    var start: Int
    var isDocumentation: Bool
    var text: String
  }

  /// Start of the attached comments; the declaration's own first byte if there are none.
  static func start(of node: some SyntaxProtocol) -> Int {
    let first = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let pieces = Array(node.leadingTrivia.pieces)
    var place = first
    var lineBreaks = 0
    var hasOwnLine = false
    var found: [Comment] = []
    for (number, piece) in pieces.enumerated().reversed() {
      place -= piece.sourceLength.utf8Length
      if let comment = comment(piece, at: place) {
        guard lineBreaks <= (comment.isDocumentation ? 2 : 1), !headsSection(comment.text) else {
          break
        }
        // The comment shares a line with preceding code, but not with the declaration.
        let isTrailing =
          hasOwnLine && !pieces[..<number].contains(where: \.isNewline)
          && node.position.utf8Offset > 0
        if isTrailing { break }
        found.append(comment)
        lineBreaks = 0
      } else if piece.isNewline {
        lineBreaks += newlines(piece)
        hasOwnLine = true
      } else if !piece.isSpaceOrTab {
        break
      }
    }
    return withoutFileHeader(found, first)
  }

  /// Plain comments at the beginning of a file belong to the file.
  private static func withoutFileHeader(_ found: [Comment], _ first: Int) -> Int {
    guard let top = found.last else { return first }
    guard top.start <= 3, !top.isDocumentation else { return top.start }
    return found.reversed().first(where: \.isDocumentation)?.start ?? first
  }

  private static func comment(_ piece: TriviaPiece, at place: Int) -> Comment? {
    switch piece {
    case .lineComment(let text), .blockComment(let text):
      Comment(start: place, isDocumentation: false, text: text)
    case .docLineComment(let text), .docBlockComment(let text):
      Comment(start: place, isDocumentation: true, text: text)
    default: nil
    }
  }

  private static func newlines(_ piece: TriviaPiece) -> Int {
    switch piece {
    case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
      count
    default: 0
    }
  }

  private static func headsSection(_ text: String) -> Bool {
    if text.containsUTF8("MARK:") { return true }
    return text.containsUTF8("swiftlint:") && !text.containsUTF8(":next")
      && !text.containsUTF8(":this")
  }
}
