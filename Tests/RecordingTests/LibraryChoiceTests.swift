import Testing

@testable import Recording

@Suite struct LibraryChoiceTests {
  @Test func aPatternThatNoFileMatchesIsTold() {
    var choice = LibraryChoice(["libparse.so*", "/build/libnet*.so", "libtypo.so"])
    choice.saw("/build/libparse.so.1")
    choice.saw("/build/libnet-2.so")
    choice.saw("/usr/lib/libc.so.6")
    #expect(choice.problems.count == 1)
    #expect(choice.problems[0].hasPrefix("--image 'libtypo.so' matches no file"))
    choice.saw("/build/libtypo.so")
    #expect(choice.problems == [])
  }

  @Test func theProgramsOwnLibrariesAreTold() {
    var choice = LibraryChoice(["libnamed.so"])
    choice.saw("/build/libnamed.so")
    for path in [
      "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libz.so.1", "/build/libnamed.so",
      "/home/somebody/toolchain/usr/lib/swift/linux/libswiftCore.so", "/build/libparse.so",
      "/build/libparse.so",
    ] {
      choice.needs(path)
    }
    #expect(
      choice.problems == [
        "the functions of libparse.so were not recorded; to record them too, add "
          + "--image 'libparse.so'"
      ])
    for name in ["a", "b", "c"] { choice.needs("/build/\(name).so") }
    #expect(choice.problems.count == 1)
    #expect(choice.problems[0].contains("4 libraries"))
    #expect(choice.problems[0].contains("(libparse.so, a.so, b.so, ...)"))
  }
}
