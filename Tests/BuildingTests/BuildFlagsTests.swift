import Building
import FirstlightModel
import TestSupport
import Testing

@Suite struct BuildFlagsTests {
  @Test(arguments: [(nil, false), ("2.31", false), ("2.36", true), ("2.41", true)])
  func relocationsArePackedForTargetsThatLoadThem(target: String?, isPacked: Bool) throws {
    let directory = try TemporaryDirectory()
    let order = try directory.write("main\n", to: "app.order")
    let flags = try BuildFlags(order: order, target: target.flatMap { GlibcVersion($0) })
    #expect(flags.linker.contains("--symbol-ordering-file=\(order)"))
    #expect(flags.linker.contains("pack-relative-relocs") == isPacked)
  }
}
