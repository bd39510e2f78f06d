import Foundation

/// One note, as it is stored and as it is sent.
struct Note: Codable, Sendable {
  let id: Int
  let text: String
  let created: Date
}

/// The notes, in memory, numbered from 1.
actor NoteStore {
  private var notes: [Int: Note] = [:]
  private var lastID = 0

  func create(text: String) -> Note {
    lastID += 1
    let note = Note(id: lastID, text: text, created: Date())
    notes[lastID] = note
    return note
  }

  /// All notes, oldest first.
  func all() -> [Note] {
    notes.values.sorted { $0.id < $1.id }
  }

  func note(id: Int) -> Note? {
    notes[id]
  }

  /// Returns whether there was such a note.
  func remove(id: Int) -> Bool {
    notes.removeValue(forKey: id) != nil
  }
}
