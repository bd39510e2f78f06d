import FirstlightModel
import SystemSupport

/// Reads the function records of an LCOV tracefile (geninfo(1)): `FN` and `FNDA`, and since LCOV
/// 2.2 `FNL` and `FNA`.
package enum LCOVFile {
  package static func calls(in path: String, _ places: FunctionPlaces) throws(Failure)
    -> ImportedCalls
  {
    let text = try TextFile.argument(path)
    var calls = ImportedCalls(digest: RunDigest.text(Array(text.utf8)))
    try read(text, path) { function in
      let found = places.guards(name: function.name, file: function.file, line: function.line)
      if found.isEmpty { calls.unknown += 1 } else { calls.known += 1 }
      if function.count > 0 { calls.guards.formUnion(found) }
    }
    return calls
  }

  /// A function's record.
  package struct Function {
    package var name: String
    package var file: String
    /// 0 if unknown.
    package var line: Int
    package var count: Int
  }

  package static func functions(in path: String) throws(Failure) -> [Function] {
    var functions: [Function] = []
    try read(try TextFile.argument(path), path) { functions.append($0) }
    return functions
  }

  private static func read(
    _ text: String, _ path: String, _ take: (Function) -> Void
  ) throws(Failure) {
    var file = ""
    // Within one source file: lines by function name and by function number.
    var lines: [Substring: Int] = [:]
    var numbered: [Substring: Int] = [:]
    var isTracefile = false

    func add(count: Int?, name: Substring, line: Int, at number: Int) throws(Failure) {
      guard let count, count >= 0 else {
        throw Failure(
          .data, "\(path), line \(number): not a number of calls", advice: "create the file again")
      }
      take(Function(name: String(name), file: file, line: line, count: count))
    }

    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard let colon = line.firstIndex(of: ":") else {
        if line == "end_of_record" { (file, lines, numbered) = ("", [:], [:]) }
        continue
      }
      let rest = line[line.index(after: colon)...]
      let parts = rest.split(separator: ",", omittingEmptySubsequences: false)
      switch line[..<colon] {
      case "SF":
        isTracefile = true
        file = String(rest)
      case "FN":
        // A name may contain commas, and an end line may precede it.
        guard parts.count >= 2, let first = Int(parts[0]) else { continue }
        let hasEnd = parts.count > 2 && Int(parts[1]) != nil
        lines[rest.dropFirst(hasEnd ? parts[0].count + parts[1].count + 2 : parts[0].count + 1)] =
          first
      case "FNDA":
        guard let comma = rest.firstIndex(of: ",") else { continue }
        let name = rest[rest.index(after: comma)...]
        try add(count: count(rest[..<comma]), name: name, line: lines[name] ?? 0, at: index + 1)
      case "FNL":
        if parts.count >= 2, let first = Int(parts[1]) { numbered[parts[0]] = first }
      case "FNA":
        guard parts.count >= 3 else { continue }
        let name = rest.dropFirst(parts[0].count + parts[1].count + 2)
        try add(count: count(parts[1]), name: name, line: numbered[parts[0]] ?? 0, at: index + 1)
      default: break
      }
    }
    guard isTracefile else {
      throw Failure(
        .data, "\(path): not an LCOV tracefile",
        advice: "create one with llvm-cov export or geninfo")
    }
  }

  /// A count too large for an integer still means that the function was called.
  private static func count(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.allSatisfy(\.isNumber) else { return nil }
    return Int(text) ?? .max
  }
}

/// Names a run by a hash of its recorded data.
package enum RunDigest {
  /// 32 hexadecimal digits: FNV-1a from both ends.
  package static func text(_ bytes: [UInt8]) -> String {
    HexText.of(FNV1a.hash(of: bytes)) + HexText.of(FNV1a.hash(of: bytes.reversed()))
  }
}
