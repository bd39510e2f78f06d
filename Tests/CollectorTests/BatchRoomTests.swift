import Synchronization
import Testing

@testable import Collector

/// How many batches may be written at once.
@Suite struct BatchRoomTests {
  @Test func whoFindsNoRoomWaitsInTurn() async {
    let room = BatchRoom(weightLimit: 10)
    await room.take(6)
    await room.take(4)
    let isIn = Task { await room.take(5) }
    await room.give(4)
    // 5 do not fit beside 6.
    await room.give(6)
    await isIn.value
    await room.take(5)
    await room.give(5)
    await room.give(5)
  }

  @Test func oneLargerThanAllRoomHasItToItself() async {
    let room = BatchRoom(weightLimit: 10)
    await room.take(50)
    let next = Task { await room.take(1) }
    await room.give(50)
    await next.value
    await room.give(1)
  }

  @Test func whoIsToBeAloneIsAlone() async {
    let room = BatchRoom(weightLimit: 10)
    await room.take(1)
    let alone = Task { await room.take(0, alone: true) }
    await room.give(1)
    await alone.value
    let order = Mutex<[String]>([])
    let next = Task {
      await room.take(1)
      order.withLock { $0.append("next") }
    }
    order.withLock { $0.append("alone") }
    await room.give(0, alone: true)
    await next.value
    #expect(order.withLock { $0 } == ["alone", "next"])
    await room.give(1)
  }
}
