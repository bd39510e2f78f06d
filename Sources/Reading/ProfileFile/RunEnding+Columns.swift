import FirstlightModel

extension RunEnding {
  /// The columns of a run's row: only the one for this kind of end is not null.
  var status: Int32? { if case .exited(let status) = self { status } else { nil } }
  var signal: Int32? { if case .signalled(let signal) = self { signal } else { nil } }
  var words: String? { if case .other(let words) = self { words } else { nil } }
}

extension ProfileReader {
  func attachment(_ row: RowReading) throws -> Attachment? {
    guard let name: String = try row.optionalValue(RunColumn.attachment) else { return nil }
    guard let attachment = Attachment(rawValue: name) else { throw damaged("attachment \(name)") }
    return attachment
  }

  func ending(_ row: RowReading) throws -> RunEnding {
    if let status: Int32 = try row.optionalValue(RunColumn.exitStatus) { return .exited(status) }
    if let signal: Int32 = try row.optionalValue(RunColumn.signal) { return .signalled(signal) }
    return .other(try row.value(RunColumn.ending))
  }
}
