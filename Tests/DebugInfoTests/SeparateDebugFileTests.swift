import DebugInfo
import Foundation
import Testing

@Suite struct SeparateDebugFileTests {
  private func split(_ tools: Toolbox) throws -> UInt64 {
    try tools.buildC("program", ["-O2"])
    let address = try #require(
      try tools.listedSymbols("program").first { $0.name == "local_sum" }
    ).address
    try tools.run("objcopy", "--only-keep-debug", "program", "program.debug")
    try tools.run("objcopy", "--strip-all", "program", "stripped")
    return address
  }

  private func expectFound(_ image: DebugImage, _ address: UInt64, in path: String) {
    #expect(image.debugFile == path)
    #expect(image.hasDebugInfo)
    #expect(image.symbols.containing(address)?.name == "local_sum")
    #expect(
      image.source.frames(at: [address], inlines: false).frames(at: 0)[0].file?
        .hasSuffix("/main.c") == true)
  }

  @Test(arguments: ["", ".debug/"])
  func debugLinkNearTheFileIsFollowed(place: String) throws {
    let tools = try Toolbox()
    let address = try split(tools)
    try tools.run("objcopy", "--add-gnu-debuglink=program.debug", "stripped")
    if !place.isEmpty {
      try tools.run("mkdir", tools.path(place))
      try tools.run("mv", "program.debug", place)
    }
    let image = try DebugImage(path: tools.path("stripped"), debugDirectories: [])
    expectFound(image, address, in: tools.path("\(place)program.debug"))
  }

  @Test func debugLinkBelowADebugDirectoryIsFollowed() throws {
    let tools = try Toolbox()
    let address = try split(tools)
    try tools.run("objcopy", "--add-gnu-debuglink=program.debug", "stripped")
    let there = tools.path("debug") + tools.folder
    try tools.run("mkdir", "-p", there)
    try tools.run("mv", "program.debug", there)
    let image = try DebugImage(
      path: tools.path("stripped"), debugDirectories: [tools.path("debug")])
    expectFound(image, address, in: there + "/program.debug")
  }

  /// As of a process in a container: `/proc/PID/root`.
  @Test(arguments: ["app", "usr/lib/debug/app"])
  func debugFilesOfAnotherRootAreFound(folder: String) throws {
    let tools = try Toolbox()
    let address = try split(tools)
    try tools.run("objcopy", "--add-gnu-debuglink=program.debug", "stripped")
    let there = tools.path("root/\(folder)")
    try tools.run("mkdir", "-p", there)
    try tools.run("mv", "program.debug", there)
    let image = try DebugImage(
      path: tools.path("stripped"), debugDirectories: [],
      place: ForeignPlace(root: tools.path("root"), path: "/app/stripped"))
    expectFound(image, address, in: "\(there)/program.debug")
  }

  @Test func aDebugFileWithAnotherChecksumIsRefused() throws {
    let tools = try Toolbox()
    _ = try split(tools)
    try tools.run("objcopy", "--add-gnu-debuglink=program.debug", "stripped")
    let handle = try #require(FileHandle(forWritingAtPath: tools.path("program.debug")))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0]))
    try handle.close()
    let image = try DebugImage(path: tools.path("stripped"), debugDirectories: [])
    #expect(image.debugFile == nil)
    #expect(!image.hasDebugInfo)
  }

  @Test func buildIDDirectoryIsSearchedAndItsBuildIDChecked() throws {
    let tools = try Toolbox()
    let address = try split(tools)
    let id = try #require(try DebugImage(path: tools.path("stripped")).buildID).description
    let folder = tools.path("debug/.build-id/\(id.prefix(2))")
    let place = "\(folder)/\(id.dropFirst(2)).debug"
    try tools.run("mkdir", "-p", folder)
    try tools.run("cp", "program.debug", place)
    let found = try DebugImage(
      path: tools.path("stripped"), debugDirectories: [tools.path("debug")])
    expectFound(found, address, in: place)

    try tools.buildC("other", ["-O1", "-DOTHER"])
    try tools.run("cp", "other", place)
    let refused = try DebugImage(
      path: tools.path("stripped"), debugDirectories: [tools.path("debug")])
    #expect(refused.debugFile == nil)
  }
}
