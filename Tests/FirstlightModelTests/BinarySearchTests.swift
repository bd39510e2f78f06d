import FirstlightModel
import Testing

@Suite struct BinarySearchTests {
  @Test(arguments: 0...40) func boundsAreThoseThatCountingFinds(count: Int) {
    let rising = (0..<count).map { $0 / 3 * 2 }
    for value in -1...count {
      #expect(rising.partitioningIndex { $0 >= value } == rising.count { $0 < value })
      #expect(rising.partitioningIndex { $0 > value } == rising.count { $0 <= value })
    }
  }

  @Test func aSliceAnswersWithItsOwnIndices() {
    let slice = [9, 9, 1, 2, 3][2...]
    #expect(slice.partitioningIndex { $0 > 1 } == 3)
    #expect(slice.partitioningIndex { $0 > 3 } == 5)
  }
}
