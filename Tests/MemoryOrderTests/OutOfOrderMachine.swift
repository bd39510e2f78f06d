/// Runs threads in every order in which a machine may perform their accesses to one memory that all see
/// alike, as arm64's is (other-multi-copy atomic; Pulte et al., "Simplifying ARM Concurrency", POPL 2018).
///
/// A thread performs its accesses in any order, also before it knows whether it gets there, except:
/// - accesses of one place stay in order; a load may take the value of a store that waits
/// - nothing overtakes a load, or the read of a modification, that acquires
/// - a store, or the write of a modification, that releases overtakes nothing
/// - fences keep what C11 says of them
/// - what needs a value waits for it; a store also waits for all decisions and addresses before it
///
/// A modification is two steps, its read and its write: others may read the place between, not write. It
/// waits for the decisions before it.
/// Arm's `ldar` also waits for an earlier `stlr`; C11 asks for less, so here it does not.
///
/// Time and memory grow with the number of states, so programs have to be small.
struct OutOfOrderMachine {
  struct Findings {
    /// Registers of each thread at the end, of all executions.
    var outcomes: Set<[[Int]]> = []
    /// What did not hold in some execution.
    var violations: Set<String> = []
    var states = 0
  }

  private let threads: [ThreadCode]
  private let bases: [String: (start: Int, count: Int)]
  private let memory: [Int]
  private let atEnd: [(what: String, holds: ([String: [Int]]) -> Bool)]

  /// - Parameters:
  ///   - memory: arrays by name, with their first contents.
  ///   - atEnd: what must hold of memory when all threads have ended.
  init(
    memory: [String: [Int]], _ threads: [ThreadCode],
    atEnd: [(what: String, holds: ([String: [Int]]) -> Bool)] = []
  ) {
    var words: [Int] = []
    var bases: [String: (start: Int, count: Int)] = [:]
    for (name, contents) in memory.sorted(by: { $0.key < $1.key }) {
      bases[name] = (words.count, contents.count)
      words += contents
    }
    self.bases = bases
    self.memory = words
    self.threads = threads
    self.atEnd = atEnd
  }

  func explore() -> Findings {
    var findings = Findings()
    var first = MachineState(memory: memory, threads: threads)
    settle(&first, &findings)
    var known: Set<MachineState> = [first]
    var open = [first]
    while let state = open.popLast() {
      var isStuck = true
      for thread in threads.indices {
        for operation in threads[thread].operations.indices {
          guard var next = perform(operation, of: thread, state) else { continue }
          isStuck = false
          settle(&next, &findings)
          if known.insert(next).inserted { open.append(next) }
        }
      }
      if isStuck { conclude(state, &findings) }
    }
    findings.states = known.count
    return findings
  }

  private func conclude(_ state: MachineState, _ findings: inout Findings) {
    for (thread, code) in threads.enumerated() {
      let left = code.operations.indices.contains { !state.threads[thread].isDone($0) }
      if left { findings.violations.insert("a thread waits for ever") }
    }
    findings.outcomes.insert(state.threads.map(\.registers))
    let arrays = bases.mapValues { Array(state.memory[$0.start..<$0.start + $0.count]) }
    for (what, holds) in atEnd where !holds(arrays) { findings.violations.insert(what) }
  }

  /// Does what no other thread sees: decisions, checks, fences.
  private func settle(_ state: inout MachineState, _ findings: inout Findings) {
    for thread in threads.indices {
      let operations = threads[thread].operations
      for index in operations.indices where !state.threads[thread].isDone(index) {
        let operation = operations[index]
        switch operation.kind {
        case .leave, .require:
          // In order: whether it gets here is decided before.
          let isReached = !operations[..<index].indices.contains {
            operations[$0].kind == .leave && !state.threads[thread].isDone($0)
          }
          guard isReached, let isSo = state.value(operation.value, of: thread) else { continue }
          state.threads[thread].finish(index)
          if operation.kind == .require, isSo == 0 { findings.violations.insert(operation.what) }
          if operation.kind == .leave, isSo == 1 { state.leave(thread, behind: index, operations) }
        case .fence:
          let waits = operations[..<index].indices.contains {
            operations[$0].isMemory && !state.threads[thread].isDone($0)
              && (operation.order.releases
                || operations[$0].kind != .store
                  && !state.threads[thread].isHalf($0))
          }
          if !waits { state.threads[thread].finish(index) }
        case .load, .store, .modify: continue
        }
      }
    }
  }

  /// The state after an access; nil if it has to wait, or was made.
  private func perform(_ index: Int, of thread: Int, _ state: MachineState) -> MachineState? {
    let operation = threads[thread].operations[index]
    guard operation.isMemory, !state.threads[thread].isDone(index),
      let word = word(operation.place, of: thread, state)
    else { return nil }
    switch operation.kind {
    case .load: return load(index, of: thread, word, state)
    case .store:
      guard let value = state.value(operation.value, of: thread),
        mayWrite(index, of: thread, word, state), !state.isLocked(word)
      else { return nil }
      var next = state
      next.memory[word] = value
      next.threads[thread].finish(index)
      return next
    case .modify:
      return state.threads[thread].isHalf(index)
        ? write(index, of: thread, word, state) : read(index, of: thread, word, state)
    case .fence, .leave, .require: return nil
    }
  }

  private func load(
    _ index: Int, of thread: Int, _ word: Int, _ state: MachineState
  ) -> MachineState? {
    let operations = threads[thread].operations
    var value = state.memory[word]
    for before in operations[..<index].indices.reversed()
    where !state.threads[thread].isDone(before) {
      guard !keepsLoadsBack(operations[before], before, thread, state) else { return nil }
      guard operations[before].isMemory else { continue }
      guard let other = self.word(operations[before].place, of: thread, state) else {
        if operations[before].place?.array == operations[index].place?.array { return nil }
        continue
      }
      guard other == word else { continue }
      // Its own store's value, before others see it.
      guard operations[before].kind == .store, !operations[index].order.acquires,
        let own = state.value(operations[before].value, of: thread),
        !operations[..<before].indices.contains(where: {
          !state.threads[thread].isDone($0) && keepsLoadsBack(operations[$0], $0, thread, state)
        })
      else { return nil }
      value = own
      break
    }
    var next = state
    next.threads[thread].registers[operations[index].result!.index] = value
    next.threads[thread].finish(index)
    return next
  }

  /// Whether what is not done yet keeps all later loads waiting.
  private func keepsLoadsBack(
    _ operation: Operation, _ index: Int, _ thread: Int, _ state: MachineState
  ) -> Bool {
    switch operation.kind {
    case .fence: operation.order.acquires
    case .load: operation.order.acquires
    case .modify: operation.order.acquires && !state.threads[thread].isHalf(index)
    case .store, .leave, .require: false
    }
  }

  /// The read of a modification.
  private func read(
    _ index: Int, of thread: Int, _ word: Int, _ state: MachineState
  ) -> MachineState? {
    let operations = threads[thread].operations
    guard !state.isLocked(word) else { return nil }
    for before in operations[..<index].indices where !state.threads[thread].isDone(before) {
      guard operations[before].kind != .leave,
        !keepsLoadsBack(operations[before], before, thread, state)
      else { return nil }
      guard operations[before].isMemory else { continue }
      let other = self.word(operations[before].place, of: thread, state)
      if other == nil || other == word { return nil }
    }
    var next = state
    next.threads[thread].registers[operations[index].result!.index] = state.memory[word]
    next.threads[thread].half |= 1 << UInt32(index)
    next.lock(word)
    return next
  }

  /// The write of a modification.
  private func write(
    _ index: Int, of thread: Int, _ word: Int, _ state: MachineState
  ) -> MachineState? {
    guard mayWrite(index, of: thread, word, state) else { return nil }
    let operation = threads[thread].operations[index]
    var next = state
    let old = state.threads[thread].registers[operation.result!.index]
    if let new = operation.change!(old) { next.memory[word] = new }
    next.unlock(word)
    next.threads[thread].finish(index)
    return next
  }

  private func mayWrite(
    _ index: Int, of thread: Int, _ word: Int, _ state: MachineState
  ) -> Bool {
    let operations = threads[thread].operations
    for before in operations[..<index].indices where !state.threads[thread].isDone(before) {
      switch operations[before].kind {
      case .leave, .fence: return false
      case .require: continue
      case .load, .store, .modify:
        if operations[index].order.releases
          || keepsLoadsBack(operations[before], before, thread, state)
        {
          return false
        }
        let other = self.word(operations[before].place, of: thread, state)
        if other == nil || other == word { return false }
      }
    }
    return true
  }

  /// Number of a place's word; nil if its index is not known yet. What lies outside is the first one: a
  /// thread may read there before it knows that it should not.
  private func word(_ place: Place?, of thread: Int, _ state: MachineState) -> Int? {
    guard let place, let index = state.value(place.index, of: thread) else { return nil }
    let (start, count) = bases[place.array]!
    return (0..<count).contains(index) ? start + index : start
  }
}

/// What has happened so far.
private struct MachineState: Hashable {
  var memory: [Int]
  var threads: [ThreadState]
  /// Words that a modification has read and not written yet.
  private var locked: UInt64 = 0

  struct ThreadState: Hashable {
    /// What is done of its operations, and of which modifications only the read.
    private(set) var done: UInt32 = 0
    var half: UInt32 = 0
    var registers: [Int]

    init(_ code: ThreadCode) {
      precondition(code.operations.count <= 32)
      registers = Array(repeating: MachineState.unknown, count: code.registerCount)
    }

    func isDone(_ index: Int) -> Bool { done >> UInt32(index) & 1 == 1 }
    func isHalf(_ index: Int) -> Bool { half >> UInt32(index) & 1 == 1 }

    mutating func finish(_ index: Int) {
      done |= 1 << UInt32(index)
      half &= ~(1 << UInt32(index))
    }
  }

  static let unknown = Int.min

  init(memory: [Int], threads: [ThreadCode]) {
    precondition(memory.count <= 64)
    self.memory = memory
    self.threads = threads.map(ThreadState.init)
  }

  func isLocked(_ word: Int) -> Bool { locked >> UInt64(word) & 1 == 1 }
  mutating func lock(_ word: Int) { locked |= 1 << UInt64(word) }
  mutating func unlock(_ word: Int) { locked &= ~(1 << UInt64(word)) }

  /// Nil if not all that it needs is known.
  func value(_ value: Value?, of thread: Int) -> Int? {
    guard let value else { return nil }
    let known = value.needs.map { threads[thread].registers[$0.index] }
    return known.contains(Self.unknown) ? nil : value.compute(known)
  }

  /// Ends a thread: what lies behind a place does not happen, and what was read there too early is
  /// forgotten.
  mutating func leave(_ thread: Int, behind index: Int, _ operations: [Operation]) {
    for later in operations.indices.dropFirst(index + 1) {
      if let result = operations[later].result {
        threads[thread].registers[result.index] = Self.unknown
      }
      threads[thread].finish(later)
    }
  }
}
