import Testing

/// The machine against what is known of arm64: names and results are those of the litmus tests of Alglave,
/// Maranget and Tautschnig, "Herding Cats" (TOPLAS 2014), and of Pulte et al. (POPL 2018), except that
/// C11's acquire is weaker than `ldar` behind `stlr`.
@Suite struct LitmusTests {
  /// Whether the machine can end with these registers, of each thread in turn.
  private func allows(
    _ outcome: [[Int]], _ threads: ThreadCode..., memory: [String: [Int]] = ["x": [0], "y": [0]]
  ) -> Bool {
    OutOfOrderMachine(memory: memory, threads).explore().outcomes.contains(outcome)
  }

  private func storing(
    _ first: Place, _ second: Place, _ order: MemoryOrder, fence: MemoryOrder? = nil
  ) -> ThreadCode {
    ThreadCode {
      $0.store(first, 1)
      $0.fence(fence)
      $0.store(second, 1, order)
    }
  }

  private func loading(
    _ first: Place, _ second: Place, _ order: MemoryOrder, fence: MemoryOrder? = nil
  ) -> ThreadCode {
    ThreadCode {
      _ = $0.load(first, order)
      $0.fence(fence)
      _ = $0.load(second, .relaxed)
    }
  }

  @Test func messagesArePassedOnlyByReleaseAndAcquire() {
    let stale = [[], [1, 0]]
    #expect(allows(stale, storing("x", "y", .relaxed), loading("y", "x", .relaxed)))
    #expect(allows(stale, storing("x", "y", .release), loading("y", "x", .relaxed)))
    #expect(allows(stale, storing("x", "y", .relaxed), loading("y", "x", .acquire)))
    #expect(!allows(stale, storing("x", "y", .release), loading("y", "x", .acquire)))
    #expect(
      !allows(
        stale, storing("x", "y", .relaxed, fence: .release),
        loading("y", "x", .relaxed, fence: .acquire)))
  }

  @Test func aDecisionKeepsBackStoresAndNoLoads() {
    let decided = ThreadCode {
      let seen = $0.load("y", .relaxed)
      $0.leave(if: seen) { $0 == 0 }
      _ = $0.load("x", .relaxed)
    }
    #expect(allows([[], [1, 0]], storing("x", "y", .release), decided))
    // An address that depends on what was read does.
    let addressed = ThreadCode {
      let seen = $0.load("y", .relaxed)
      _ = $0.load(Place("x", Value(seen) { $0 - 1 }), .relaxed)
    }
    #expect(!allows([[], [1, 0]], storing("x", "y", .release), addressed))
  }

  @Test func storesAreBuffered() {
    func storeThenLoad(_ own: Place, _ other: Place, _ fence: MemoryOrder?) -> ThreadCode {
      ThreadCode {
        $0.store(own, 1)
        $0.fence(fence)
        _ = $0.load(other, .relaxed)
      }
    }
    #expect(allows([[0], [0]], storeThenLoad("x", "y", nil), storeThenLoad("y", "x", nil)))
    #expect(
      allows([[0], [0]], storeThenLoad("x", "y", .acquire), storeThenLoad("y", "x", .release)))
    #expect(
      !allows(
        [[0], [0]], storeThenLoad("x", "y", .sequential), storeThenLoad("y", "x", .sequential)))
  }

  @Test func loadsAreOvertakenByStoresThatDoNotDependOnThem() {
    func loadThenStore(_ from: Place, _ to: Place, _ order: MemoryOrder) -> ThreadCode {
      ThreadCode {
        _ = $0.load(from, order)
        $0.store(to, 1)
      }
    }
    func depending(_ from: Place, _ to: Place) -> ThreadCode {
      ThreadCode {
        let seen = $0.load(from, .relaxed)
        $0.store(to, Value(seen))
      }
    }
    func decided(_ from: Place, _ to: Place) -> ThreadCode {
      ThreadCode {
        let seen = $0.load(from, .relaxed)
        $0.leave(if: seen) { $0 == 7 }
        $0.store(to, 1)
      }
    }
    let both = [[1], [1]]
    #expect(allows(both, loadThenStore("x", "y", .relaxed), loadThenStore("y", "x", .relaxed)))
    #expect(!allows(both, loadThenStore("x", "y", .acquire), loadThenStore("y", "x", .acquire)))
    #expect(!allows(both, decided("x", "y"), decided("y", "x")))
    #expect(!allows(both, depending("x", "y"), depending("y", "x")))
  }

  @Test func accessesOfOnePlaceStayInOrder() {
    let store = ThreadCode { $0.store("x", 1) }
    let twice = ThreadCode {
      _ = $0.load("x", .relaxed)
      _ = $0.load("x", .relaxed)
    }
    #expect(!allows([[], [1, 0]], store, twice))
    #expect(allows([[], [0, 1]], store, twice))
  }

  @Test func allSeeStoresInOneOrder() {
    let writers = (ThreadCode { $0.store("x", 1) }, ThreadCode { $0.store("y", 1) })
    func outcome(_ order: MemoryOrder) -> Bool {
      allows(
        [[], [], [1, 0], [1, 0]], writers.0, writers.1, loading("x", "y", order),
        loading("y", "x", order))
    }
    #expect(outcome(.relaxed))
    #expect(!outcome(.acquire))
    // What one thread passes on, a third sees too.
    let relay = ThreadCode {
      let seen = $0.load("x", .relaxed)
      $0.store("y", Value(seen))
    }
    #expect(!allows([[], [1], [1, 0]], writers.0, relay, loading("y", "x", .acquire)))
  }

  @Test func aThreadSeesItsOwnStoreFirst() {
    // PPOCA: the store may not be seen by others yet when its own thread goes on with its value.
    let memory = ["x": [0], "y": [0], "z": [0]]
    let forwarded = ThreadCode {
      let seen = $0.load("y", .relaxed)
      $0.leave(if: seen) { $0 == 0 }
      $0.store("z", 1)
      let own = $0.load("z", .relaxed)
      _ = $0.load(Place("x", Value(own) { $0 - 1 }), .relaxed)
    }
    #expect(
      allows([[], [1, 1, 0]], storing("x", "y", .release), forwarded, memory: memory))
    // PPOAA: it has no value before what it depends on.
    let depending = ThreadCode {
      let seen = $0.load("y", .relaxed)
      $0.store("z", Value(seen))
      let own = $0.load("z", .relaxed)
      _ = $0.load(Place("x", Value(own) { $0 - 1 }), .relaxed)
    }
    #expect(
      !allows([[], [1, 1, 0]], storing("x", "y", .release), depending, memory: memory))
  }

  @Test func modificationsAreWhole() {
    let add = ThreadCode { _ = $0.modify("x", .relaxed) { $0 + 1 } }
    let found = OutOfOrderMachine(memory: ["x": [0]], [add, add, add]).explore()
    #expect(found.violations == [])
    #expect(found.outcomes.allSatisfy { Set($0.map { $0[0] }) == [0, 1, 2] })
    // What follows an acquiring one may come between its read and its write.
    let exchange = ThreadCode {
      _ = $0.modify("x", .acquire) { _ in 1 }
      _ = $0.load("y", .relaxed)
    }
    let other = ThreadCode {
      $0.store("y", 1)
      $0.fence(.sequential)
      _ = $0.load("x", .relaxed)
    }
    #expect(allows([[0, 0], [0]], exchange, other))
  }

  @Test func whatDoesNotHoldIsFound() {
    let broken = ThreadCode {
      let seen = $0.load("x", .relaxed)
      $0.require(seen, "x is 0") { $0 == 0 }
    }
    let store = ThreadCode { $0.store("x", 1) }
    let found = OutOfOrderMachine(
      memory: ["x": [0]], [broken, store],
      atEnd: [("x is 2", { $0["x"] == [2] })]
    ).explore()
    #expect(found.violations == ["x is 0", "x is 2"])
  }
}
