import Foundation

/// Notes as comma-separated values, quoted as RFC 4180 has it. The demo never asks for it, so its
/// functions are on the never-called list.
struct CSVExport {
  let notes: [Note]

  func text() -> String {
    let rows = notes.map { note in
      [String(note.id), note.created.ISO8601Format(), note.text].map(quoted).joined(separator: ",")
    }
    return (["id,created,text"] + rows).joined(separator: "\r\n") + "\r\n"
  }

  private func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}
