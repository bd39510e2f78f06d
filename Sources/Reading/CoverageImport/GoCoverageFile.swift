import FirstlightModel
import Foundation
import SystemSupport

/// Reads a coverage profile of Go in its text format (`go tool covdata textfmt`, `go test -coverprofile`): blocks
/// of source files with the number of times that they ran.
///
/// A function was called if its first block ran. Blocks have no names, so closures are left out: they may lie on
/// one line with other code.
package enum GoCoverageFile {
  package static func calls(in path: String, _ places: FunctionPlaces) throws(Failure)
    -> ImportedCalls
  {
    let text = try TextFile.read(path)
    let blocks = try blocks(in: text, path)
    var calls = ImportedCalls(digest: RunDigest.text(Array(text.utf8)))
    calls.recorded = []
    let functions = GoFunctions(places.functions, coveredFiles: blocks.keys)
    for (file, blocks) in blocks {
      let starts = blocks.keys.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
      let declared = functions.declared(in: file)
      if declared.isEmpty { calls.unknown += 1 }
      for (place, function) in declared.enumerated() {
        let first = starts.partitioningIndex { $0.line >= function.line }
        let end = place + 1 < declared.count ? declared[place + 1].line : .max
        guard first < starts.count, starts[first].line < end else { continue }
        calls.recorded?.insert(function.index)
        calls.known += 1
        if blocks[starts[first]] == true { calls.guards.insert(function.index) }
      }
    }
    return calls
  }

  fileprivate struct Start: Hashable {
    var line: Int
    var column: Int
  }

  /// Whether each block ran, by file and start. A profile of several packages' tests repeats blocks.
  private static func blocks(
    in text: String, _ path: String
  ) throws(Failure) -> [String: [Start: Bool]] {
    let lines = text.split(separator: "\n")
    guard lines.first?.hasPrefix("mode: ") == true else {
      throw Failure(
        .data, "\(path): not a coverage profile of Go",
        advice: "write one with go tool covdata textfmt -i=DIR -o=app.cov")
    }
    var blocks: [String: [Start: Bool]] = [:]
    for (index, line) in lines.enumerated().dropFirst() {
      // FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT
      guard let match = line.wholeMatch(of: /(.+):(\d+)\.(\d+),\d+\.\d+ \d+ (\d+)/),
        let first = Int(match.2), let column = Int(match.3)
      else {
        throw Failure(
          .data, "\(path), line \(index + 1): not a block of code", advice: "create the file again")
      }
      let isRun = match.4.contains { $0 != "0" }
      blocks[String(match.1), default: [:]][Start(line: first, column: column), default: false] =
        isRun || blocks[String(match.1)]?[Start(line: first, column: column)] == true
    }
    return blocks
  }
}

/// Functions of a Go program by the names that coverage has for files: the package's path and the file's name.
private struct GoFunctions {
  private var byFile: [String: [(line: Int, index: Int)]] = [:]

  init(_ functions: [(function: Function, index: Int)], coveredFiles: some Sequence<String>) {
    var packages: Set<String> = []
    for (function, index) in functions {
      guard let file = function.file, function.line > 0 else { continue }
      let (package, name) = Self.parts(of: function.name)
      packages.insert(package)
      guard !Self.isGenerated(name) else { continue }
      byFile["\(package)/\(BaseName.of(file))", default: []].append((function.line, index))
    }
    // The program's own package is named main, whatever its folder.
    let unnamed = coveredFiles.filter { !packages.contains(Self.folder(of: $0)) }
    for (name, files) in Dictionary(grouping: unnamed, by: { BaseName.of($0) })
    where files.count == 1 {
      byFile[files[0]] = byFile["main/\(name)"]
    }
    for file in byFile.keys { byFile[file]?.sort { $0.line < $1.line } }
  }

  /// The declared functions of a file by line.
  func declared(in file: String) -> [(line: Int, index: Int)] { byFile[file] ?? [] }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
  }

  /// The package's path and the rest of a linker name. Arguments of generic functions have paths, too.
  private static func parts(of name: String) -> (package: String, rest: Substring) {
    let plain = name.prefix { $0 != "[" }
    let last = plain.lastIndex(of: "/") ?? plain.startIndex
    guard let dot = plain[last...].firstIndex(of: ".") else { return ("", plain) }
    let package = String(plain[..<dot])
    return (package.removingPercentEncoding ?? package, name[name.index(after: dot)...])
  }

  /// Whether no declaration has the name: closures, wrappers, and the initialization of a package's variables.
  private static func isGenerated(_ name: Substring) -> Bool {
    name == "init" || name.contains(/\.(func|gowrap|deferwrap)\d|-(fm|range)/)
  }
}
