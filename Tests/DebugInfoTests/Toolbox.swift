import Foundation
import Testing

/// Runs compilers and the tools that are the tests' oracles, in a folder of the test's own.
final class Toolbox: Sendable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "firstlight-debuginfo-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
  }

  /// Runs a command in the folder and gives its standard output; fails the test if it fails.
  @discardableResult
  func run(_ words: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let inputPath = path("input-\(UUID().uuidString)")
    try input.write(toFile: inputPath, atomically: true, encoding: .utf8)
    process.standardInput = FileHandle(forReadingAtPath: inputPath)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(words.joined(separator: " "))")
    return String(decoding: data, as: UTF8.self)
  }

  @discardableResult
  func run(_ words: String..., input: String = "") throws -> String {
    try run(words, input: input)
  }
}

/// One function as `nm` lists it.
struct ListedSymbol: Hashable {
  var address: UInt64
  var size: UInt64
  var name: String
  var kind: String
}

extension Toolbox {
  /// Whether the installed elfutils decodes a file's line tables, by its own tool: it lists no line of those
  /// that it does not.
  func elfutilsReadsLines(of name: String) throws -> Bool {
    try run("eu-readelf", "--debug-dump=decodedline", name).split(separator: "\n").count > 4
  }

  /// The function symbols of a file, by nm.
  func listedSymbols(_ name: String) throws -> [ListedSymbol] {
    try run("nm", "--defined-only", "-S", name).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, "tTwWiV".contains(words[2]) else { return nil }
      return ListedSymbol(
        address: UInt64(words[0], radix: 16)!, size: UInt64(words[1], radix: 16)!,
        name: String(words[3]), kind: String(words[2]))
    }
  }

  /// What llvm-symbolizer says of each address: lines of function, then file:line:column.
  func symbolized(_ name: String, _ addresses: [UInt64]) throws -> [[String]] {
    let input = addresses.map { "0x\(String($0, radix: 16))\n" }.joined()
    let output = try run(
      "llvm-symbolizer", "--no-demangle", "--inlines", "--obj=\(path(name))", input: input)
    return output.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map {
      $0.split(separator: "\n").map { Self.normalized(String($0)) }
    }
  }

  /// llvm-symbolizer gives a folder to `<compiler-generated>`, and for functions without lines the
  /// object file's name.
  private static func normalized(_ line: String) -> String {
    if let made = line.range(of: "<compiler-generated>") { return String(line[made.lowerBound...]) }
    let isObject = line.hasSuffix(":0:0") && !line.contains("/")
    return isObject ? "??:0:0" : line
  }

  /// Size of a section, by readelf; nil if there is none.
  func sectionSize(_ name: String, _ section: String) throws -> Int? {
    for line in try run("readelf", "-SW", name).split(separator: "\n") {
      let words = line.replacingOccurrences(of: "[ ", with: "[").split(separator: " ")
      if words.count > 5, words[1] == section { return Int(words[5], radix: 16) }
    }
    return nil
  }
}
