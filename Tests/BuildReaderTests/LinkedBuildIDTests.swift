import FirstlightModel
import Foundation
import Testing

@testable import BuildReader

@Suite struct LinkedBuildIDTests {
  /// A program of several pieces, as lld links it.
  private static func program(_ option: String, in folder: Folder) throws -> (Data, BuildID) {
    let (source, program) = ("\(folder.path)/main.c", "\(folder.path)/program")
    try Data("const char table[3 << 20] = {1}; int main(void) { return table[7]; }".utf8)
      .write(to: URL(filePath: source))
    try run("clang", "-O0", "-fuse-ld=lld", "-Wl,\(option)", source, "-o", program)
    let notes = try run("readelf", "-n", program)
    let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).output.1
    return (try Data(contentsOf: URL(filePath: program)), try #require(BuildID(String(id))))
  }

  @discardableResult
  private static func run(_ words: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: ["--build-id=sha1", "--build-id=md5"])
  func theIDOfALinkedFileIsItsHash(option: String) throws {
    let (file, id) = try Self.program(option, in: Folder())
    func isProven(_ file: Data) -> Bool {
      file.withUnsafeBytes { LinkedBuildID.isProven(id, by: $0) }
    }
    #expect(isProven(file))
    // One bit in any piece.
    for place in [40, 1 << 20, file.count - 1] {
      var other = file
      other[place] ^= 1
      #expect(!isProven(other))
    }
    #expect(!isProven(file + Data([0])) && !isProven(Data()) && !isProven(file.prefix(10)))
  }

  @Test func anIDThatTheLinkerWasGivenProvesNothing() throws {
    let id = String(repeating: "ab", count: 20)
    let (file, found) = try Self.program("--build-id=0x\(id)", in: Folder())
    #expect(found.description == id)
    #expect(!file.withUnsafeBytes { LinkedBuildID.isProven(found, by: $0) })
    #expect(!file.withUnsafeBytes { LinkedBuildID.isProven(BuildID("file-00ff")!, by: $0) })
  }
}
