import FirstlightModel
import SystemSupport

/// Reads a profile of LLVM's instrumentation in its text format (LLVM, `TextInstrProfReader`): functions with
/// their counters, and temporal traces, which have the functions of a process in the order of first calls.
package enum LLVMProfileFile {
  private typealias Line = ArraySlice<UInt8>

  /// - Parameters:
  ///   - text: the contents, as `llvm-profdata merge --text` prints them.
  ///   - path: the file that they are of, for messages.
  package static func calls(
    in text: [UInt8], _ path: String, _ places: FunctionPlaces
  ) throws(Failure) -> ImportedCalls {
    var lines = Lines(text, path)
    var calls = ImportedCalls()
    while let line = lines.peek, line.first == UInt8(ascii: ":") {
      _ = lines.next()
      if line.elementsEqual(":temporal_prof_traces".utf8) {
        let count = try lines.number()
        _ = try lines.number()
        for _ in 0..<count {
          _ = try lines.number()
          let names = try lines.line().split(separator: UInt8(ascii: ","))
          let trace = names.flatMap { guards(of: $0, places) }
          calls.traces.append(trace)
          calls.guards.formUnion(trace)
        }
      }
    }
    while let entry = try entry(&lines) {
      let found = guards(of: entry.name, places)
      if found.isEmpty { calls.unknown += 1 } else { calls.known += 1 }
      calls.recorded.formUnion(found)
      if entry.counts.contains(where: { $0 > 0 }) { calls.guards.formUnion(found) }
    }
    return calls
  }

  /// The functions with their hashes, and whether the first counter, which counts calls, is above 0.
  package static func counted(
    in text: [UInt8], _ path: String
  ) throws(Failure) -> [(name: String, code: UInt64, isCalled: Bool)] {
    var lines = Lines(text, path)
    while lines.peek?.first == UInt8(ascii: ":") { _ = lines.next() }
    var functions: [(name: String, code: UInt64, isCalled: Bool)] = []
    while let entry = try entry(&lines) {
      functions.append(
        (String(decoding: entry.name, as: UTF8.self), entry.code, entry.counts.first ?? 0 > 0))
    }
    return functions
  }

  private static func entry(
    _ lines: inout Lines
  ) throws(Failure) -> (name: Line, code: UInt64, counts: [UInt64])? {
    guard let name = lines.next() else { return nil }
    let code = try lines.number()
    var counts: [UInt64] = []
    for _ in 0..<(try lines.number()) { counts.append(try lines.number()) }
    try skipExtras(&lines)
    return (name, code, counts)
  }

  private static func guards(of name: Line, _ places: FunctionPlaces) -> [Int] {
    let name = CounterName(String(decoding: name, as: UTF8.self))
    return places.guards(name: name.linkerName, inFile: name.file)
  }

  /// Skips a function's bitmaps and the values that it was called with.
  private static func skipExtras(_ lines: inout Lines) throws(Failure) {
    if let line = lines.peek, line.first == UInt8(ascii: "$") {
      _ = lines.next()
      for _ in 0..<(Lines.value(line.dropFirst()) ?? 0) { _ = try lines.line() }
    }
    guard let kinds = lines.peek.flatMap(Lines.value) else { return }
    _ = lines.next()
    for _ in 0..<kinds {
      _ = try lines.number()
      for _ in 0..<(try lines.number()) {
        for _ in 0..<(try lines.number()) { _ = try lines.line() }
      }
    }
  }

  /// The lines of a text profile without comments and empty lines.
  private struct Lines {
    private var rest: ArraySlice<Line>
    private let path: String

    init(_ text: [UInt8], _ path: String) {
      rest =
        text.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }[...]
      self.path = path
    }

    var peek: Line? { rest.first }
    mutating func next() -> Line? { rest.popFirst() }

    static func value(_ line: Line) -> UInt64? { UInt64(String(decoding: line, as: UTF8.self)) }

    mutating func line() throws(Failure) -> Line {
      guard let line = next() else {
        throw Failure(.data, "\(path): ends within a record", advice: "write the file again")
      }
      return line
    }

    mutating func number() throws(Failure) -> UInt64 {
      let line = try line()
      guard let number = Self.value(line) else {
        let text = String(decoding: line.prefix(40), as: UTF8.self)
        throw Failure(
          .data, "\(path): \"\(Escaping.terminal(text))\" is not a number",
          advice: "write the file again")
      }
      return number
    }
  }
}
