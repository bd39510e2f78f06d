import FirstlightModel

extension RunEnding {
  /// The columns of a run's row: only the one for this kind of end is not null.
  var status: Int32? { if case .exited(let status) = self { status } else { nil } }
  var signal: Int32? { if case .signalled(let signal) = self { signal } else { nil } }
  var words: String? { if case .other(let words) = self { words } else { nil } }
}

extension ProfileReader {
  func attachment(_ row: RowReading, at index: Int32) throws -> Attachment? {
    guard let name: String = try row.optionalValue(index) else { return nil }
    guard let attachment = Attachment(rawValue: name) else { throw damaged("attachment \(name)") }
    return attachment
  }

  /// - Parameter index: index of the first of the three columns.
  func ending(_ row: RowReading, at index: Int32) throws -> RunEnding {
    if let status: Int32 = try row.optionalValue(index) { return .exited(status) }
    if let signal: Int32 = try row.optionalValue(index + 1) { return .signalled(signal) }
    return .other(try row.value(index + 2))
  }
}
