import Testing

/// How threads of a recorded program hand things to each other and to readers, in every order that arm64
/// may perform it in; with the memory orders of the sources. A weaker one is found out.
@Suite struct RuntimeProtocolTests {
  /// A protocol, made of the order that each of its steps has.
  typealias Model = (_ orders: (Int) -> MemoryOrder) -> OutOfOrderMachine

  /// The protocol holds, and does not without one of these.
  private func expect(
    _ steps: SourceSteps, needs: [Int], _ machine: Model,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = machine { steps[$0] }.explore()
    #expect(found.violations == [], sourceLocation: sourceLocation)
    #expect(!found.outcomes.isEmpty, sourceLocation: sourceLocation)
    for weak in needs {
      let found = machine { $0 == weak ? .relaxed : steps[$0] }.explore()
      #expect(
        !found.violations.isEmpty, "step \(weak) needs no order", sourceLocation: sourceLocation)
    }
  }

  private static let runtime = "CSupport/FirstlightRuntime/"
  private static let hook = [
    "__atomic_thread_fence(", "__atomic_load_n(fl_image_state.gate", "fl_image_state.process;",
    "__atomic_exchange_n(guard", "__atomic_fetch_add(&segment->count", "record->thread = ",
    "__atomic_fetch_add(&process->sequence", "__atomic_store_n(&record->guard",
  ]

  private func hookSteps() throws -> SourceSteps {
    try SourceSteps(Self.runtime + "runtime.c", "void fl_first_call(", Self.hook)
  }

  /// A first call: claims a guard, takes a slot, fills it, publishes it.
  private func firstCall(_ guardIndex: Int, _ order: (Int) -> MemoryOrder) -> ThreadCode {
    ThreadCode {
      let claimed = $0.modify(Place("guard", Value([]) { _ in guardIndex }), order(3)) { _ in 0 }
      $0.leave(if: claimed) { $0 == 0 }
      let slot = $0.modify("count", order(4)) { $0 + 1 }
      $0.store(Place("fields", Value(slot)), Value(claimed) { $0 + 10 })
      let sequence = $0.modify("sequence", order(6)) { $0 + 1 }
      $0.store(Place("sequences", Value(slot)), Value(sequence) { $0 + 100 })
      $0.store(Place("record", Value(slot)), Value(claimed), order(7))
    }
  }

  private static let segment = [
    "guard": [1, 2], "count": [0], "sequence": [0], "fields": [0, 0], "sequences": [0, 0],
    "record": [0, 0],
  ]

  @Test func aGuardIsRecordedOnceHoweverManyClaimIt() throws {
    let steps = try hookSteps()
    expect(steps, needs: []) { order in
      OutOfOrderMachine(
        memory: Self.segment, [firstCall(0, order), firstCall(0, order), firstCall(0, order)],
        atEnd: [
          ("one slot is taken", { $0["count"] == [1] }),
          ("one record", { $0["record"] == [1, 0] }),
          ("one sequence", { $0["sequence"] == [1] && $0["sequences"] == [100, 0] }),
        ])
    }
  }

  @Test func twoFunctionsTakeTwoSlots() throws {
    let steps = try hookSteps()
    expect(steps, needs: []) { order in
      OutOfOrderMachine(
        memory: Self.segment, [firstCall(0, order), firstCall(1, order)],
        atEnd: [
          ("both are recorded", { $0["record"]!.sorted() == [1, 2] }),
          ("each has a sequence", { $0["sequences"]!.sorted() == [100, 101] }),
          ("fields are those of the guard", { $0["fields"] == $0["record"]!.map { $0 + 10 } }),
        ])
    }
  }

  /// The reader copies the slots twice: guards of the first copy, the rest of the second.
  private func reader(_ fence: MemoryOrder?) -> ThreadCode {
    ThreadCode {
      let number = $0.load("record", .relaxed)
      $0.fence(fence == .relaxed ? nil : fence)
      let fields = $0.load("fields", .relaxed)
      let sequence = $0.load("sequences", .relaxed)
      $0.require([number, fields, sequence], "a record whose guard is seen is complete") {
        $0[0] == 0 || $0[1] == $0[0] + 10 && $0[2] >= 100
      }
    }
  }

  @Test func aReaderSeesARecordWholeOrNotAtAll() throws {
    let steps = try hookSteps()
    let reading = try SourceSteps(
      "Sources/Reading/TraceReader/SegmentFile.swift", "static func read(\n    _ file: borrowing",
      ["file.read(into: guards", "atomicMemoryFence(", "file.read(into: fields"])
    expect(steps, needs: [7]) { order in
      OutOfOrderMachine(memory: Self.segment, [firstCall(0, order), reader(reading[1])])
    }
    expect(reading, needs: [1]) { order in
      OutOfOrderMachine(
        memory: Self.segment, [firstCall(0) { steps[$0] }, reader(order(1))])
    }
  }

  /// Recording begins while the program runs: hooks see a guard, and then must see all that it takes.
  @Test func aHookThatSeesItsGuardSeesARecordingThatHasBegun() throws {
    let steps = try hookSteps()
    let setting = try SourceSteps(
      Self.runtime + "recording.c", "void set_guards(void)",
      ["__atomic_store_n(&fl_image_state.guards[i]"])
    func machine(_ order: (Int) -> MemoryOrder, _ publish: MemoryOrder) -> OutOfOrderMachine {
      let starter = ThreadCode {
        $0.store("gate", 1)
        $0.store("process", 1)
        $0.store("segments", 1)
        $0.store("guard", 1, publish)
      }
      let hook = ThreadCode {
        let seen = $0.load("guard", .relaxed)
        $0.leave(if: seen) { $0 == 0 }
        $0.fence(order(0) == .relaxed ? nil : order(0))
        let gate = $0.load("gate", .relaxed)
        $0.require(gate, "the gate is there") { $0 == 1 }
        let process = $0.load("process", .relaxed)
        $0.require(process, "the process file is there") { $0 == 1 }
        let claimed = $0.modify("guard", order(3)) { _ in 0 }
        $0.leave(if: claimed) { $0 == 0 }
        let segment = $0.load("segments", .relaxed)
        $0.require(segment, "the segment is there") { $0 == 1 }
      }
      return OutOfOrderMachine(
        memory: ["gate": [0], "process": [0], "segments": [0], "guard": [0]], [starter, hook])
    }
    expect(steps, needs: [0]) { machine($0, setting[0]) }
    expect(setting, needs: [0]) { machine({ steps[$0] }, $0(0)) }
  }

  /// The first thread of a forked child makes its files; who sees the gate open sees them, in the hook or
  /// after waiting.
  @Test func whoPassesTheGateSeesTheChildsFiles() throws {
    let gate = Self.runtime + "gate.c"
    let claim = try SourceSteps(
      gate, "bool change(int *state", ["__atomic_compare_exchange_n(state"])
    let release = try SourceSteps(gate, "int release(int *state", ["__atomic_exchange_n(state"])
    let looks = [
      (try hookSteps(), 1),
      (try SourceSteps(gate, "int wait_for_other(int *state", ["__atomic_load_n(state"]), 0),
      (try SourceSteps(gate, "int fl_gate_pass(int *state", ["__atomic_load_n(state"]), 0),
    ]
    func machine(_ publish: MemoryOrder, _ look: MemoryOrder) -> OutOfOrderMachine {
      func passing() -> ThreadCode {
        ThreadCode {
          let found = $0.modify("gate", claim[0]) { $0 == 0 ? 1 : nil }
          $0.leave(if: found) { $0 != 0 }
          $0.store("process", 2)
          $0.store("segments", 2)
          _ = $0.modify("gate", publish) { _ in 9 }
        }
      }
      let looking = ThreadCode {
        let seen = $0.load("gate", look)
        $0.leave(if: seen) { $0 != 9 }
        let process = $0.load("process", .relaxed)
        let segment = $0.load("segments", .relaxed)
        $0.require([process, segment], "the files are the child's") { $0 == [2, 2] }
      }
      return OutOfOrderMachine(
        memory: ["gate": [0], "process": [1], "segments": [1]],
        [passing(), passing(), looking], atEnd: [("the gate is open", { $0["gate"] == [9] })])
    }
    for (steps, look) in looks {
      expect(release, needs: [0]) { machine($0(0), steps[look]) }
      expect(steps, needs: [look]) { machine(release[0], $0(look)) }
    }
  }

  /// Two threads set marks, and a reader copies them.
  @Test func aReaderSeesAMarkWholeOrNotAtAll() throws {
    let marking = try SourceSteps(
      Self.runtime + "marks.c", "uint32_t record(struct page *page",
      [
        "__atomic_fetch_add(&file->used", "memcpy(text_of(file)", "slot->name = text",
        "__atomic_store_n(&slot->kind",
      ])
    let reading = try SourceSteps(
      "Sources/Reading/TraceReader/MarksFile.swift",
      "static func read(_ file: borrowing RegularFile)",
      ["file.read(into: kinds", "atomicMemoryFence(", "file.read(into: rest"])
    func machine(_ publish: MemoryOrder, _ fence: MemoryOrder) -> OutOfOrderMachine {
      func mark(_ text: Int) -> ThreadCode {
        ThreadCode {
          let slot = $0.modify("used", marking[0]) { $0 + 1 }
          $0.store(Place("text", Value(slot)), Value([]) { _ in text })
          $0.store(Place("name", Value(slot)), Value(slot) { $0 + 10 })
          $0.store(Place("kind", Value(slot)), 1, publish)
        }
      }
      let reader = ThreadCode {
        let kind = $0.load("kind", .relaxed)
        $0.fence(fence == .relaxed ? nil : fence)
        let name = $0.load("name", .relaxed)
        let text = $0.load("text", .relaxed)
        $0.require([kind, name, text], "a mark whose kind is seen is complete") {
          $0[0] == 0 || $0[1] == 10 && $0[2] >= 5
        }
      }
      return OutOfOrderMachine(
        memory: ["used": [0], "text": [0, 0], "name": [0, 0], "kind": [0, 0]],
        [mark(5), mark(6), reader],
        atEnd: [("both are there", { $0["text"]!.sorted() == [5, 6] && $0["kind"] == [1, 1] })])
    }
    expect(marking, needs: [3]) { machine($0(3), reading[1]) }
    expect(reading, needs: [1]) { machine(marking[3], $0(1)) }
  }

  /// Images find each other's entry by its version.
  @Test func whoSeesAnImagesEntrySeesItSetUp() throws {
    let publishing = try SourceSteps(
      Self.runtime + "peers.c", "void fl_peers_publish(void)",
      ["__atomic_store_n(&fl_control.version"])
    let visiting = try SourceSteps(
      Self.runtime + "peers.c", "struct fl_control *control_of(",
      ["__atomic_load_n(&control->version"])
    func machine(_ publish: MemoryOrder, _ look: MemoryOrder) -> OutOfOrderMachine {
      let image = ThreadCode {
        $0.store("entry", 1)
        $0.store("version", 1, publish)
      }
      let visitor = ThreadCode {
        let version = $0.load("version", look)
        $0.leave(if: version) { $0 == 0 }
        let entry = $0.load("entry", .relaxed)
        $0.require(entry, "the entry is set up") { $0 == 1 }
      }
      return OutOfOrderMachine(memory: ["entry": [0], "version": [0]], [image, visitor])
    }
    expect(publishing, needs: [0]) { machine($0(0), visiting[0]) }
    expect(visiting, needs: [0]) { machine(publishing[0], $0(0)) }
  }
}
