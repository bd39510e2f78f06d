import FirstlightModel
import SystemSupport

/// Reads a profile of LLVM's instrumentation in its text format (LLVM, `TextInstrProfReader`): functions with
/// their counters, and temporal traces, which have the functions of a process in the order of first calls.
package enum LLVMProfileFile {
  package static func calls(in path: String, _ places: FunctionPlaces) throws(Failure)
    -> ImportedCalls
  {
    let text = try TextFile.argument(path)
    // Raw and indexed profiles begin with bytes that no text has.
    guard !text.isEmpty, !text.utf8.prefix(256).contains(0) else {
      throw Failure(
        .data, "\(path): not a text profile",
        advice: "write one with llvm-profdata merge --text FILE... -o app.proftext")
    }
    var lines = Lines(text, path)
    var calls = ImportedCalls(digest: RunDigest.text(Array(text.utf8)))
    calls.recorded = []
    while let line = lines.peek, line.hasPrefix(":") {
      _ = lines.next()
      if line == ":temporal_prof_traces" {
        let count = try lines.number()
        _ = try lines.number()
        for _ in 0..<count {
          _ = try lines.number()
          let names = try lines.line().split(separator: ",")
          let trace = names.flatMap { guards(of: $0, places) }
          calls.traces.append(trace)
          calls.guards.formUnion(trace)
        }
      }
    }
    while let name = lines.next() {
      let found = guards(of: name, places)
      if found.isEmpty { calls.unknown += 1 } else { calls.known += 1 }
      calls.recorded?.formUnion(found)
      _ = try lines.number()
      var isCalled = false
      for _ in 0..<(try lines.number()) where try lines.number() > 0 { isCalled = true }
      if isCalled { calls.guards.formUnion(found) }
      try skipExtras(&lines)
    }
    return calls
  }

  /// Names of local functions follow their file and a semicolon.
  private static func guards(of name: Substring, _ places: FunctionPlaces) -> [Int] {
    let parts = name.split(separator: ";", maxSplits: 1)
    return places.guards(name: String(name), inFile: parts.count > 1 ? String(parts[0]) : "")
  }

  /// Skips a function's bitmaps and the values that it was called with.
  private static func skipExtras(_ lines: inout Lines) throws(Failure) {
    if let line = lines.peek, line.hasPrefix("$") {
      _ = lines.next()
      for _ in 0..<(UInt64(line.dropFirst()) ?? 0) { _ = try lines.line() }
    }
    guard let kinds = lines.peek.flatMap({ UInt64($0) }) else { return }
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
    private var rest: ArraySlice<Substring>
    private let path: String

    init(_ text: String, _ path: String) {
      rest = text.split(separator: "\n").filter { !$0.hasPrefix("#") }[...]
      self.path = path
    }

    var peek: Substring? { rest.first }
    mutating func next() -> Substring? { rest.popFirst() }

    mutating func line() throws(Failure) -> Substring {
      guard let line = next() else {
        throw Failure(.data, "\(path): ends within a record", advice: "write the file again")
      }
      return line
    }

    mutating func number() throws(Failure) -> UInt64 {
      let line = try line()
      guard let number = UInt64(line) else {
        throw Failure(
          .data, "\(path): \"\(Escaping.terminal(String(line.prefix(40))))\" is not a number",
          advice: "write the file again")
      }
      return number
    }
  }
}
