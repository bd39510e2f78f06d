import FirstlightModel
import SystemSupport

/// The functions in what `llvm-cov export -format=lcov` prints.
package enum CoverageExport {
  /// A function's record.
  package struct Function {
    /// With the file before it, if it is local to one.
    package var name: String
    package var file: String
    package var line: Int
    package var isCalled: Bool
  }

  package static func functions(in path: String) throws(Failure) -> [Function] {
    var functions: [Function] = []
    var file = ""
    // By name, within one source file.
    var lines: [Bytes: Int] = [:]
    for line in try FileContents.argument(path).split(separator: UInt8(ascii: "\n")) {
      if let path = rest(of: line, after: "SF:") {
        file = String(decoding: path, as: UTF8.self)
        lines = [:]
      } else if let (number, name) = record(line, "FN:") {
        lines[name] = Int(number)
      } else if let (count, name) = record(line, "FNDA:") {
        functions.append(
          Function(
            name: String(decoding: name, as: UTF8.self), file: file, line: lines[name] ?? 0,
            isCalled: count != "0"))
      }
    }
    return functions
  }

  private typealias Bytes = ArraySlice<UInt8>

  private static func rest(of line: Bytes, after tag: StaticString) -> Bytes? {
    let tag = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
    return line.starts(with: tag) ? line.dropFirst(tag.count) : nil
  }

  /// A number and a name, which may contain commas.
  private static func record(_ line: Bytes, _ tag: StaticString) -> (Substring, Bytes)? {
    guard let rest = rest(of: line, after: tag),
      let comma = rest.firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    return (Substring(decoding: rest[..<comma], as: UTF8.self), rest[(comma + 1)...])
  }
}
