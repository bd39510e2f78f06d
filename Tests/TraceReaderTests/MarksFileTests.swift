import FirstlightModel
import Testing
import TraceReader

@Suite("A marks file")
struct MarksFileTests {
  private let file = FileBytes.marks([
    Mark(name: "config loaded"), Mark(kind: 2, thread: 8, time: 3_000, duration: 40, name: "tls"),
    Mark(kind: 2, time: 6_000, name: ""), Mark(time: 7_000, name: "größe"),
  ])

  @Test("gives marks and spans by time")
  func sound() throws {
    let page = try file.parsedAsMarks()
    #expect(page.process == someProcess)
    #expect(page.drops == 0)
    #expect(page.problem == nil)
    #expect(
      page.marks == [
        ProgramMark(name: "tls", thread: 8, time: 3_000, kind: .span(duration: 40)),
        ProgramMark(name: "config loaded", thread: 7, time: 5_000, kind: .mark),
        ProgramMark(name: "", thread: 7, time: 6_000, kind: .span(duration: nil)),
        ProgramMark(name: "größe", thread: 7, time: 7_000, kind: .mark),
      ])
  }

  @Test("leaves out what is not committed")
  func partial() throws {
    var file = file
    file[FileBytes.mark(2), as: UInt32.self] = 0
    let page = try file.parsedAsMarks()
    #expect(page.marks.map(\.name) == ["tls", "config loaded", "größe"])
    #expect(page.problem == nil)
  }

  @Test("says how many found no room")
  func drops() throws {
    var file = file
    file[4036, as: UInt32.self] = 6  // slots, two more than there are
    file[4040, as: UInt32.self] = 2  // drops
    let page = try file.parsedAsMarks()
    #expect(page.marks.count == 4)
    #expect(page.drops == 2)
    #expect(page.problem?.problem.contains("2 marks are missing") == true)
  }

  @Test(
    "leaves out what cannot be right",
    arguments: [
      (0, 3), (8, 0), (16, 1), (24, 1 << 20), (28, 1_000), (28, 0xffff_ffff), (24, 0xffff_ffff),
    ] as [(Int, UInt32)])
  func damage(offset: Int, value: UInt32) throws {
    var file = file
    file[FileBytes.mark(0) + offset, as: UInt32.self] = value
    let page = try file.parsedAsMarks()
    #expect(page.marks.map(\.name) == ["tls", "", "größe"])
    #expect(page.problem?.problem.contains("1 damaged") == true)
  }

  @Test("that ends too early gives what is whole")
  func cutOff() throws {
    for size in 4096..<file.bytes.count {
      var file = file
      file.resize(size)
      let page = try file.parsedAsMarks()
      #expect(page.marks.count < 4)
      #expect(page.problem != nil)
    }
  }

  @Test(
    "with an impossible header is refused",
    arguments: [(0, 1), (8, 2), (12, 4095), (16, 24), (20, 1 << 21), (24, 1 << 26), (32, 0)]
      as [(Int, UInt32)])
  func header(offset: Int, value: UInt32) throws {
    var file = file
    file[offset, as: UInt32.self] = value
    let failure = try #require(throws: Failure.self) { try file.parsedAsMarks() }
    #expect(failure.kind == .data)
    #expect(failure.problem.hasPrefix("a.marks: offset "))
  }
}
