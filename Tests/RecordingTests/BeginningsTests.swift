import Testing

@testable import Recording

/// Which starts show what processes did whose beginning was not seen.
@Suite struct BeginningsTests {
  private var beginnings = Beginnings()

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private mutating func miss(_ command: String, of program: String = "/bin/p") {
    beginnings.miss(bytes(program), bytes(command))
  }

  private mutating func see(_ command: String, of program: String = "/bin/p") -> Bool {
    beginnings.see(bytes(program), bytes(command))
  }

  @Test mutating func anyStartCountsIfNothingWasMissed() {
    #expect(see("p\0-x\0"))
    #expect(see(""))
    miss("q\0", of: "/bin/q")
    #expect(see("p\0"))
  }

  @Test mutating func eachThatWasMissedNeedsAStartLikeIt() {
    miss("p\0-x\0")
    miss("p\0-y\0z\0")
    miss("p\0-x\0")
    #expect(!see("p\0--version\0"))
    #expect(!see(""))
    #expect(!see("another-name\0-x\0"))
    #expect(!see("p\0-y\0"))
    #expect(see("p\0-y\0z\0"))
    #expect(see("p\0--version\0"))
    miss("p\0-x\0")
    #expect(!see("p\0--version\0"))
  }

  @Test mutating func noStartIsLikeOneWithUnknownArguments() {
    miss("")
    #expect(!see(""))
    #expect(!see("p\0"))
  }

  /// A server that writes the number of each request over its arguments.
  @Test mutating func tooManyTitlesCountAsUnknown() {
    for number in 0..<2000 { miss("title \(number)\0\(number)\0") }
    for number in 0..<2000 { #expect(!see("p\0\(number)\0")) }
  }
}
