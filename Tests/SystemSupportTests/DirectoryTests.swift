import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct DirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func namesAreAllButTheDirectoryItself() throws {
    try directory.write("", to: "b")
    try directory.write("", to: ".hidden")
    #expect(try Set(DirectoryListing.names(in: directory.url.path)) == ["b", ".hidden"])
    let handle = open(directory.url.path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<2 {
      #expect(try Set(DirectoryListing.names(of: handle)) == ["b", ".hidden"])
    }
    close(handle)
    let error = #expect(throws: SystemError.self) {
      try DirectoryListing.names(in: directory.path("absent"))
    }
    #expect(error?.code == ENOENT)
  }

  @Test func aProjectsFolderIsTheNearestOneWithItsMarks() throws {
    try directory.write("", to: "repository/.git/HEAD")
    try directory.write("", to: "repository/lib/code.c")
    try directory.write("", to: "repository/Packages/App/Package.swift")
    try directory.write("", to: "repository/Packages/App/Sources/App/main.swift")
    func around(_ place: String) -> String { ProjectFolder.around(directory.path(place)) }
    #expect(around("repository/lib") == directory.path("repository"))
    #expect(around("repository") == directory.path("repository"))
    #expect(around("repository/Packages/App/Sources") == directory.path("repository/Packages/App"))
    #expect(around("elsewhere") == directory.path("elsewhere"))
    #expect(ProjectFolder.package(around: directory.path("repository/lib")) == nil)
  }

  @Test func aWatchSeesWhatAppears() throws {
    let watch = try DirectoryWatch(directory.url.path)
    #expect(!watch.take { _ in true })
    try directory.write("", to: "first")
    try directory.write("", to: "second")
    var names: [String] = []
    #expect(
      watch.take { name in
        names.append(String(decoding: name, as: UTF8.self))
        return name.elementsEqual("first".utf8)
      })
    #expect(names == ["first", "second"])
    #expect(!watch.take { _ in true })
    #expect(throws: SystemError.self) { try DirectoryWatch(directory.path("absent")) }
  }
}
