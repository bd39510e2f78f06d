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
    while let name = lines.next() {
      let found = guards(of: name, places)
      if found.isEmpty { calls.unknown += 1 } else { calls.known += 1 }
      calls.recorded.formUnion(found)
      _ = try lines.number()
      var isCalled = false
      for _ in 0..<(try lines.number()) where try lines.number() > 0 { isCalled = true }
      if isCalled { calls.guards.formUnion(found) }
      try skipExtras(&lines)
    }
    return calls
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
