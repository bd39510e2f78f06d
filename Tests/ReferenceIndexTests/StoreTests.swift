import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import ReferenceIndex

/// Indexes that the toolchain's own compilers wrote.
@Suite struct StoreTests {
  private static let swift = """
    protocol Priced { func price() -> Int }
    struct Ware: Priced {
      var net = base()
      var gross: Int { net + tax() }
      func price() -> Int { [1, 2].map { $0 + gross }.count }
    }
    func base() -> Int { 1 }
    func tax() -> Int { 2 }
    func unused(_ x: Int = tax()) -> Int {
      func inner() -> Int { x }
      return inner()
    }
    func recursive() { recursive() }
    print((Ware() as any Priced).price())
    """
  private static let c = """
    static int kept(int x) { return x + 1; }
    int plain(int x) { return kept(x); }
    int (*pointer)(int) = plain;
    """

  private let directory: TemporaryDirectory
  private let index: ReferenceIndex

  init() throws {
    directory = try TemporaryDirectory()
    let main = try directory.write(Self.swift, to: "main.swift")
    let c = try directory.write(Self.c, to: "a.c")
    try Command.check(
      [
        "swiftc", main, "-module-name", "Shop", "-index-store-path", directory.path("store"),
        "-o", directory.path("shop"),
      ], in: directory.url)
    try Command.check(
      [
        "clang", "-c", c, "-index-store-path", directory.path("store"), "-o",
        directory.path("a.o"),
      ], in: directory.url)
    index = try Self.store(directory).references()
  }

  private static func store(_ directory: TemporaryDirectory) throws -> IndexStore {
    let folder = URL(
      fileURLWithPath: try Command.check(["which", "swiftc"]).trimmingCharacters(in: .newlines)
    )
    .resolvingSymlinksInPath().deletingLastPathComponent()
    let library = try IndexStoreLibrary(folder.appending(path: "../lib/libIndexStore.so").path)
    return try IndexStore(IndexStoreLocation.of(directory.path("store")), library)
  }

  private func symbol(_ name: String) throws -> Int {
    try #require((0..<index.symbolCount).first { index.name($0) == name && index.isDefined($0) })
  }

  private func containers(_ name: String) throws -> Set<String> {
    Set(index.references(to: try symbol(name)).map { $0.container.map(index.name) ?? "" })
  }

  @Test func referencesAreThoseOfTheSource() throws {
    #expect(try containers("base()") == ["net"])
    #expect(try containers("tax()") == ["gross", "unused(_:)"])
    #expect(try containers("gross") == ["price()"])
    #expect(try containers("unused(_:)") == [])
    #expect(try containers("recursive()") == [])
    #expect(try containers("kept") == ["plain"])
    #expect(try containers("plain") == ["pointer"])
  }

  @Test func definitionsHaveTheirPlace() throws {
    let definition = try #require(index.definitions(of: try symbol("unused(_:)")).first)
    #expect(index.files[definition.file].path.hasSuffix("/main.swift"))
    #expect(index.files[definition.file].module == "Shop")
    #expect(definition.line == 9)
  }

  @Test func whatAnswersARequirementIsRelatedToIt() throws {
    let answers = (0..<index.symbolCount).filter { index.name($0) == "price()" }.filter {
      index.relations(of: $0).contains { $0.roles.contains(.overrideOf) }
    }
    #expect(answers.count == 1)
  }

  /// Oracle: nm. Each function of the source is found by its linker name.
  @Test func functionsOfTheBinaryAreFound() throws {
    let names = try Command.check(["nm", "--defined-only", directory.path("shop")])
      .split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    let joiner = FunctionJoiner(index)
    func join(_ ending: String) throws -> FunctionJoin {
      let name = try #require(names.first { $0.hasPrefix("$s4Shop") && $0.hasSuffix(ending) })
      return joiner.join(names: [name], shortName: "", file: nil, line: 0)
    }
    #expect(try join("4baseSiyF") == .symbol(try symbol("base()")))
    #expect(try join("6unusedyS2iF") == .symbol(try symbol("unused(_:)")))
    #expect(try join("6unusedyS2iFfA_") == .symbol(try symbol("unused(_:)")))
    #expect(try join("5innerL_SiyF") == .local(within: try symbol("unused(_:)")))
    #expect(try join("5grossSivg") == .symbol(try symbol("gross")))
  }

  @Test func damagedIndexesEndInOneLine() throws {
    let records = directory.url.appending(path: "store/v5/records")
    let found = try #require(
      FileManager.default.enumerator(at: records, includingPropertiesForKeys: nil))
    for case let file as URL in found where file.lastPathComponent.hasPrefix("main.swift-") {
      let bytes = try Data(contentsOf: file)
      for size in [0, 3, 16, bytes.count / 2, bytes.count - 4] {
        try bytes.prefix(size).write(to: file)
        let failure = #expect(throws: Failure.self) {
          try Self.store(directory).references()
        }
        #expect(failure?.kind == .data)
        #expect(failure?.description.contains("\n") == false)
      }
    }
  }

  @Test func otherFoldersAreRefused() throws {
    let failure = #expect(throws: Failure.self) {
      try IndexStoreLocation.of(directory.path("shop"))
    }
    #expect(failure?.kind == .data)
    #expect(throws: Failure.self) { try IndexStoreLocation.of(directory.path("nothing")) }
  }

  @Test func theStoreBesideABinaryIsFound() throws {
    let folder = try TemporaryDirectory()
    for part in ["debug/index/store/v5/units", "debug/index/store/v5/records"] {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: part), withIntermediateDirectories: true)
    }
    let binary = try folder.write("", to: "debug/tool")
    #expect(IndexStoreLocation.beside(binary)?.hasSuffix("debug/index/store") == true)
    #expect(try IndexStoreLocation.of(folder.path("debug")).hasSuffix("debug/index/store"))
  }

  @Test func theStoreOfTestsIsFoundFromABinaryOfTheProject() throws {
    let folder = try TemporaryDirectory()
    for part in ["units", "records"] {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: ".build-firstlight/index-store/v5/\(part)"),
        withIntermediateDirectories: true)
    }
    let binary = try folder.write("", to: "out/tool")
    // Whoever built it may have left something better.
    #expect(IndexStoreLocation.beside(binary) == nil)
    #expect(
      IndexStoreLocation.ofTests(around: binary)?.hasSuffix("/.build-firstlight/index-store")
        == true)
  }
}
