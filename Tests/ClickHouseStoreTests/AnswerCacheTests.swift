import Synchronization
import Testing

@testable import ClickHouseStore

/// An answer is the set of tags that it was asked for, so that it shows what was asked, and how often.
@Suite struct AnswerCacheTests {
  private final class Asker: Sendable {
    private let cache: AnswerCache<String, [UInt64]>
    private let asked = Mutex<[Set<UInt64>]>([])

    init(weightLimit: Int = 100) {
      cache = AnswerCache(weightLimit: weightLimit, weigh: \.count, add: +)
    }

    /// - Returns: the answer, and the tags that were asked for.
    func ask(
      _ levels: [UInt64: UInt32], about question: String = "q", deletion: UInt64 = 0
    ) async -> (answer: [UInt64]?, asked: [Set<UInt64>]) {
      let state = LogState(number: 1, levels: levels, deletion: deletion)
      let answer = await cache.answer(question, in: state) { part in
        self.asked.withLock { $0.append(Set(part.levels.keys)) }
        return part.levels.keys.sorted()
      }
      return asked.withLock { asked in
        defer { asked = [] }
        return (answer?.sorted(), asked)
      }
    }
  }

  @Test func whatRepeatsIsNotAskedAgain() async {
    let asker = Asker()
    #expect(await asker.ask([1: 0, 2: 0, 10: 1]).asked == [[1, 2], [10]])
    let again = await asker.ask([1: 0, 2: 0, 10: 1])
    #expect(again.answer == [1, 2, 10] && again.asked == [])
    #expect(await asker.ask([1: 0], about: "another").asked == [[1]])
  }

  @Test func onlyNewTagsAreAsked() async {
    let asker = Asker()
    _ = await asker.ask([1: 0, 2: 0, 10: 1])
    let more = await asker.ask([1: 0, 2: 0, 3: 0, 10: 1])
    #expect(more.answer == [1, 2, 3, 10] && more.asked == [[3]])
    // 1 to 3 are summed up.
    let summed = await asker.ask([10: 1, 11: 1])
    #expect(summed.answer == [10, 11] && summed.asked == [[11]])
    // 10 and 11 too, and there is a new one.
    let next = await asker.ask([4: 0, 20: 2])
    #expect(next.answer == [4, 20] && next.asked == [[4], [20]])
  }

  @Test func aReplacedTagHasItsLevelAskedAgain() async {
    let asker = Asker()
    _ = await asker.ask([1: 0, 2: 0, 10: 1])
    let answer = await asker.ask([2: 0, 10: 1])
    #expect(answer.answer == [2, 10] && answer.asked == [[2]])
  }

  @Test func aDeletionHasAllAskedAgain() async {
    let asker = Asker()
    _ = await asker.ask([1: 0, 10: 1])
    #expect(await asker.ask([1: 0, 10: 1], deletion: 5).asked == [[1], [10]])
    #expect(await asker.ask([1: 0, 10: 1], deletion: 5).asked == [])
  }

  @Test func whatWasNotUsedForTheLongestTimeGoes() async {
    let asker = Asker(weightLimit: 4)
    _ = await asker.ask([1: 0, 2: 0], about: "a")
    _ = await asker.ask([1: 0, 2: 0], about: "b")
    #expect(await asker.ask([1: 0, 2: 0], about: "a").asked == [])
    _ = await asker.ask([1: 0, 2: 0], about: "c")
    #expect(await asker.ask([1: 0, 2: 0], about: "a").asked == [])
    #expect(await asker.ask([1: 0, 2: 0], about: "b").asked == [[1, 2]])
  }

  @Test func withoutTagsThereIsNothing() async {
    #expect(await Asker().ask([:]).answer == nil)
  }
}
