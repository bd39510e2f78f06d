import Testing

@testable import Ordering

@Suite struct PageTouchTests {
  /// Functions of a quarter page: 0-3 on the first page, 4-7 on the second.
  private let sizes = [UInt32](repeating: 1024, count: 8)

  @Test func areaIsTheSumOfPagesTouchedSoFar() {
    let problem = OrderingProblem(sizes: sizes, traces: [[0, 1, 4, 2]], pageSize: 4096)
    let touch = PageTouch(of: [], for: problem)
    #expect(touch.area == 1 + 1 + 2 + 2)
    #expect(touch.pages == 2)
    #expect(touch.windows == 1)
    #expect(touch.orderedBytes == 0)
  }

  @Test func anOrderMovesFunctionsToTheFront() {
    let problem = OrderingProblem(sizes: sizes, traces: [[0, 5], [5, 7]], pageSize: 4096)
    let touch = PageTouch(of: [0, 5, 7], for: problem)
    #expect(touch.pages == 2)
    #expect(touch.area == 4)
    #expect(touch.orderedBytes == 3072)
  }

  @Test func aFunctionTouchesAllItsPages() {
    let problem = OrderingProblem(
      sizes: [4095, 2, 200_000], traces: [[1], [2]], pageSize: 4096)
    let touch = PageTouch(of: [], for: problem)
    #expect(touch.pages == 2 + 49)
    #expect(touch.windows == 1 + 4)
  }

  @Test func sumsNeed64Bits() {
    let problem = OrderingProblem(
      sizes: [1 << 31] + Array(repeating: 1, count: 10_000), traces: [Array(0...10_000)],
      pageSize: 4096)
    #expect(PageTouch(of: [], for: problem).area > 10_000 * 524_288)
  }
}
