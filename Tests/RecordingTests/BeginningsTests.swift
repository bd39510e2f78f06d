import FirstlightModel
import Testing

@testable import Recording

/// Which starts show what processes did whose beginning was not seen.
@Suite struct BeginningsTests {
  private var beginnings = Beginnings()

  /// - Returns: whether its start stands for all that was missed.
  @discardableResult
  private mutating func begin(
    _ command: String, of program: String = "/bin/p", at time: UInt64 = 10, isLate: Bool = false,
    using images: [(path: String, since: UInt64)]? = nil
  ) -> [Bool] {
    let process = Beginnings.Process(
      start: Beginnings.start(Array(program.utf8), Array(command.utf8)), time: time,
      isLate: isLate, mayHideLibraries: true)
    beginnings.begin(process)
    return (images ?? [(program, 0)]).map { image in
      beginnings.add(
        WatchedImage(
          path: image.path, buildID: nil, addresses: UnsafeBufferPointer(start: nil, count: 0),
          isSpare: false), isLibrary: image.path != program, since: image.since, to: process)
    }
  }

  private mutating func miss(_ command: String, of program: String = "/bin/p") {
    begin(command, of: program, isLate: true)
  }

  private mutating func see(_ command: String) -> Bool { begin(command) == [true] }

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
    #expect(!see("p\0-y\0z\0"))
    #expect(!see("p\0-y\0"))
    #expect(see("p\0-x\0"))
    #expect(see("p\0--version\0"))
    miss("p\0-x\0")
    #expect(!see("p\0--version\0"))
  }

  /// A program may be another one under each of its names.
  @Test mutating func aNameIsAnArgument() {
    miss("serve\0-x\0")
    #expect(!see("other\0-x\0"))
    #expect(see("serve\0-x\0"))
  }

  @Test mutating func argumentsAreBytes() {
    let long = String(repeating: "x", count: 2000)
    miss("p\0\(long)a\0")
    miss("p\0\u{e9}\0")
    #expect(!see("p\0e\u{301}\0"))
    #expect(!see("p\0\u{e9}\0"))
    #expect(!see("p\0\(long)b\0"))
    #expect(see("p\0\(long)a\0"))
  }

  @Test mutating func noStartIsLikeOneWithUnknownArguments() {
    miss("")
    #expect(!see(""))
    #expect(!see("p\0"))
  }

  /// A server that writes the number of each request over its arguments.
  @Test mutating func tooManyTitlesCountAsUnknown() {
    for number in 0..<2000 { miss("title \(number)\0\(number)\0") }
    for number in 0..<2000 { #expect(!see("title \(number)\0\(number)\0")) }
  }

  /// It began before the program's last function was watched.
  @Test mutating func aProcessThatBeganWhileProbesWerePlantedWasMissed() {
    #expect(begin("p\0a\0", at: 10, using: [("/bin/p", .max)]) == [false])
    #expect(begin("p\0b\0", at: 30, using: [("/bin/p", 20)]) == [false])
    #expect(begin("p\0a\0", at: 40, using: [("/bin/p", 20)]) == [true])
    #expect(begin("p\0b\0", at: 50, using: [("/bin/p", 20)]) == [true])
  }

  /// A library may have been used, and left, by any process from before it was watched; not by those that came later
  /// and did not use it.
  @Test mutating func aLibraryThatIsWatchedLaterIsMissedInAllEarlierProcesses() {
    #expect(begin("p\0short\0", at: 10) == [true])
    #expect(
      begin("p\0a\0", at: 20, using: [("/bin/p", 0), ("/lib/l.so", 25)]) == [true, false])
    let both = [("/bin/p", UInt64(0)), ("/lib/l.so", UInt64(25))]
    #expect(begin("p\0b\0", at: 30, using: both) == [true, false])
    #expect(begin("p\0short\0", at: 40) == [true])
    #expect(begin("p\0b\0", at: 50, using: both) == [true, false])
    #expect(begin("p\0a\0", at: 60, using: both) == [true, true])
    #expect(begin("p\0c\0", at: 70, using: both) == [true, true])
  }
}
