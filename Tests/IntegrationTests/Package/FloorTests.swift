import Foundation
import TestSupport
import Testing

/// The house stands as Documentation/Design.md draws it: modules on floors, arrows pointing down.
@Suite struct FloorTests {
  /// From the bottom.
  static let floors = ["Base", "Reading", "Recording", "Questions", "Fleet", "Tools"]

  private struct Package: Decodable {
    struct Target: Decodable {
      var name: String
      var type: String
      var path: String?
      var dependencies: [Dependency]
    }
    struct Dependency: Decodable {
      var byName: [Name?]?
      var target: [Name?]?
      var product: [Name?]?

      var module: String? { ((byName ?? target)?.first ?? nil)?.text }
      var library: String? { (product?.first ?? nil)?.text }
    }
    /// A name, or a condition beside it.
    struct Name: Decodable {
      var text: String?
      init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
      }
    }
    var targets: [Target]
  }

  private let targets: [String: Package.Target]

  init() throws {
    let scratch = try TemporaryDirectory()
    let text = try Command.check(
      ["swift", "package", "--scratch-path", scratch.path("build"), "dump-package"],
      in: Toolchain.project)
    let package = try JSONDecoder().decode(Package.self, from: Data(text.utf8))
    targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  }

  /// The floor's place from the bottom; nil for what is not in the house: C, products, tests.
  private func floor(_ target: Package.Target) -> Int? {
    let parts = (target.path ?? "").split(separator: "/")
    guard parts.first == "Sources", parts.count == 3 else { return nil }
    return Self.floors.firstIndex(of: String(parts[1]))
  }

  private var modules: [Package.Target] {
    targets.values.filter { ($0.path ?? "").hasPrefix("Sources/") }.sorted { $0.name < $1.name }
  }

  private func sources(of target: Package.Target) throws -> [URL] {
    let folder = Toolchain.project.appending(path: target.path ?? "")
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }

  @Test func eachModuleLiesOnAFloorUnderItsOwnName() {
    #expect(modules.count > 24)
    for target in modules {
      let parts = (target.path ?? "").split(separator: "/").map(String.init)
      #expect(parts.count == 3 && parts[2] == target.name, "\(target.path ?? "")")
      #expect((Self.floors + ["Products"]).contains(parts[1]), "\(target.path ?? "")")
    }
  }

  @Test func modulesDependOnTheirOwnFloorAndThoseBelow() {
    for target in modules {
      for dependency in target.dependencies.compactMap(\.module) {
        guard let other = targets[dependency], (other.path ?? "").hasPrefix("Sources/") else {
          continue
        }
        if let own = floor(target) {
          let below = floor(other)
          #expect(below != nil && below! <= own, "\(target.name) depends on \(other.name)")
        } else {
          #expect(floor(other) == nil, "the product \(target.name) depends on \(other.name)")
        }
      }
    }
  }

  /// SwiftPM lets a file import whatever its dependencies import.
  @Test func filesImportOnlyWhatTheirModuleDependsOn() throws {
    for target in modules {
      let declared = Set(target.dependencies.compactMap(\.module))
      for file in try sources(of: target) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: /(?m)^(?:@\w+ )?import (?:\w+ )?(\w+)/) {
          let name = String(match.1)
          guard targets[name] != nil else { continue }
          #expect(declared.contains(name), "\(target.name)/\(file.lastPathComponent): \(name)")
        }
      }
    }
  }

  /// They say what went wrong, and the tools decide what becomes of the process.
  @Test func onlyToolsEndTheProcessOrChangeWhatItWasGiven() throws {
    for target in modules where floor(target) != Self.floors.count - 1 {
      for file in try sources(of: target) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for word in ["exit", "setenv", "unsetenv", "putenv", "CommandLine.arguments"] {
          #expect(!Self.calls(word, in: text), "\(target.name)/\(file.lastPathComponent): \(word)")
        }
      }
    }
  }

  /// Whether code has a word of its own, outside of comments.
  private static func calls(_ word: String, in text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let code = line.prefix { $0 == " " }.isEmpty ? line : line.drop { $0 == " " }
      guard !code.hasPrefix("//") else { return false }
      return code.ranges(of: word).contains { range in
        let before = code[..<range.lowerBound].last
        let after = code[range.upperBound...].first
        let isWord = before.map { $0.isLetter || $0.isNumber || "_.\"".contains($0) } ?? false
        return !isWord && (word.contains(".") || after == "(")
      }
    }
  }

  /// Documentation/Design.md leads a reader to files.
  @Test func filesThatTheDesignNamesAreThere() throws {
    let text = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Design.md"), encoding: .utf8)
    let paths = text.matches(of: /`((?:CSupport|Tests|[A-Z]\w+)\/[\w\/.+-]+\.(?:swift|c|h))`/).map {
      String($0.1)
    }
    #expect(paths.count > 15)
    for path in paths {
      let folder = Self.floors.contains(String(path.prefix { $0 != "/" })) ? "Sources/" : ""
      #expect(
        FileManager.default.fileExists(
          atPath: Toolchain.project.appending(path: folder + path).path),
        "\(path)")
    }
  }

  @Test func commandLineOnlyParsesAndPrints() throws {
    let files = try sources(of: try #require(targets["FirstlightCLI"]))
    let lines = try files.reduce(0) {
      $0
        + (try String(contentsOf: $1, encoding: .utf8)).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count - 1
    }
    #expect(files.count <= 45)
    #expect(lines <= 3420)
  }
}
