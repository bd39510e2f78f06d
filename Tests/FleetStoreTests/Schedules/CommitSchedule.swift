import ClickHouseStore
import FirstlightModel
import FleetModel
import HTTPTransport
import TestSupport

/// A random schedule: receivers whose statements come in any order, get lost before or after they took
/// effect, or land late; which are paused and killed, and whose clocks are wrong; hosts that send each
/// batch until it is acknowledged, also to another receiver; summing up, forgetting and retention in
/// between. The same seed gives the same schedule.
final class CommitSchedule {
  /// What a schedule consisted of.
  struct Figures {
    var statements = 0
    var batches = 0
    var answers = 0
    /// By name.
    var faults: [String: Int] = [:]

    static func + (a: Figures, b: Figures) -> Figures {
      var sum = a
      sum.statements += b.statements
      sum.batches += b.batches
      sum.answers += b.answers
      sum.faults.merge(b.faults, uniquingKeysWith: +)
      return sum
    }
  }

  private enum Operation: CustomStringConvertible {
    /// Of several senders at the same time, so that some are written together.
    case ingest(batches: [Int])
    case forget(subject: Int)
    case dropBuild(subject: Int)
    case dropDays
    case forgetTraces
    case read(since: Int)

    var description: String {
      switch self {
      case .ingest(let batches): "takes \(batches.map { "batch \($0)" }.joined(separator: ", "))"
      case .forget(let subject): "forgets subject \(subject)"
      case .dropBuild(let subject): "drops subject \(subject)"
      case .dropDays: "drops old days"
      case .forgetTraces: "forgets old traces"
      case .read: "reads"
      }
    }
  }

  private(set) var violations: [String] = []
  private(set) var log: [String] = []
  private(set) var figures = Figures()

  private let address: ClickHouseAddress
  private let transport: HTTPTransport
  private let oracle: ScheduleOracle
  private let sabotage: ScheduleSabotage?
  private let gate = StatementGate()
  private let calendar = ScheduleCalendar()
  private var random: SplitMix64
  private var tuning = ClickHouseTuning()
  private var model = ScheduleModel()
  /// How many of 1,000 statements go wrong.
  private let faultRate: Int
  private var receivers: [ScheduleReceiver] = []
  private let reader: ScheduleReceiver
  private var operations: [Int: (operation: Operation, day: Int32)] = [:]
  private var pausedUntil: [Int: Int] = [:]
  private var shardIsBackAt = 0
  /// Statements that were given up by who sent them, and take effect later.
  private var late: [HTTPRequest] = []
  private var step = 0
  private var areOldDaysDropped = false
  /// The subject whose removal is tried, and one whose days are over.
  private var victim = 1
  private static let main = 0
  private static let old = 2
  private static let readerClient = 100

  /// - Parameter sabotage: a way in which the protocol is broken.
  init(
    seed: UInt64, address: ClickHouseAddress, transport: HTTPTransport,
    sabotage: ScheduleSabotage? = nil
  ) {
    self.sabotage = sabotage
    self.address = address
    self.transport = transport
    oracle = ScheduleOracle(address: address, transport: transport)
    random = SplitMix64(state: seed)
    tuning.fan = Int.random(in: 2...4, using: &random)
    tuning.keptSlots = UInt64.random(in: 1...4, using: &random) * 2
    tuning.keptCommits = UInt64.random(in: 4...16, using: &random)
    faultRate = [5, 15, 40].randomElement(using: &random) ?? 15
    reader = ScheduleReceiver(
      client: Self.readerClient, skew: 0, address: address, transport: transport, tuning: tuning,
      calendar: calendar, gate: gate)
    for client in 0..<Int.random(in: 2...3, using: &random) {
      receivers.append(receiver(client, skew: skew()))
    }
    for subject in 0..<3 { model.subjects.append(.init(subject)) }
  }

  private func skew() -> Int {
    [0, 0, 0, 2, -2, 40, -40, 400, -400].randomElement(using: &random) ?? 0
  }

  private func receiver(_ client: Int, skew: Int) -> ScheduleReceiver {
    ScheduleReceiver(
      client: client, skew: skew, address: address, transport: transport, tuning: tuning,
      calendar: calendar, gate: gate)
  }

  /// Goes through the schedule.
  /// - Parameter count: how many batches hosts have.
  func run(batches count: Int) async throws {
    let checker = ScheduleReceiver(
      client: -1, skew: 0, address: address, transport: transport, tuning: tuning,
      calendar: calendar, gate: nil)
    try await checker.store.prepare()
    note(
      "fan \(tuning.fan), slots \(tuning.keptSlots), commits \(tuning.keptCommits), "
        + "faults \(faultRate), skews \(receivers.map(\.skew))")
    try await begin(on: checker)
    var left = count
    while violations.isEmpty {
      await gate.settle()
      for (client, outcome) in await gate.takeEnded() { try await end(client, outcome) }
      step += 1
      if chance(1, of: 400) { try await check(checker) }
      await startOperations(&left)
      await gate.settle()
      let statements = await gate.statements
      guard !statements.isEmpty || left > 0 || hasPending || !operations.isEmpty else { break }
      if !late.isEmpty, chance(1, of: 25) { await landOne() }
      await advance(statements)
    }
    guard violations.isEmpty else { return }
    try await finish(on: checker)
  }

  private func chance(_ part: Int, of whole: Int) -> Bool {
    Int.random(in: 0..<whole, using: &random) < part
  }

  private func note(_ text: String) { log.append("\(step): \(text)") }

  // MARK: What there is from the start

  private func begin(on checker: ScheduleReceiver) async throws {
    // One of a build that never reports again, and enough of the others that a day before is over for sure.
    for (subject, days) in [(Self.old, 0), (Self.main, 0), (Self.main, 1), (Self.main, 1)] {
      calendar.pass(days: days)
      let batch = model.addBatch(of: subject, traces: 2, day: calendar.day)
      model.noteSent(batch, at: step)
      let day = FleetDay(number: calendar.day)
      _ = try await checker.store.ingest(traces(of: batch), on: day)
      model.noteAcknowledged(batch, at: step)
      step += 1
    }
  }

  private func traces(of batch: Int) -> [FleetTrace] {
    // All of a build's evidence is of one day, which the last report keeps.
    let day = FleetDay(number: ScheduleCalendar.first - 10)
    return model.traces(of: batch, on: day)
  }

  // MARK: Operations

  /// Batches that were made and are not acknowledged yet.
  private var pending: [Int] {
    model.batches.filter { $0.acknowledgedAt == nil }.map(\.number)
  }

  private var hasPending: Bool { !pending.isEmpty }

  private func startOperations(_ left: inout Int) async {
    for receiver in receivers where operations[receiver.client] == nil && chance(1, of: 4) {
      guard let operation = nextOperation(&left) else { continue }
      await start(operation, on: receiver)
    }
    if operations[Self.readerClient] == nil, left > 0 || hasPending {
      await start(.read(since: step), on: reader)
    }
  }

  private func nextOperation(_ left: inout Int) -> Operation? {
    let taken = Set(
      operations.values.flatMap { entry -> [Int] in
        if case .ingest(let batches) = entry.operation { batches } else { [] }
      })
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<4: return .forgetTraces
    case 4..<7: return .dropDays
    case 7..<10: return removal()
    case 10..<18:
      // A host whose answer got lost sends again, maybe while the batch is still being taken.
      return model.batches.filter { $0.sentAt != nil && $0.day >= calendar.day - 7 }
        .randomElement(using: &random).map { .ingest(batches: [$0.number]) }
    default:
      let waiting = pending.filter { !taken.contains($0) }
      if let batch = waiting.randomElement(using: &random), left == 0 || chance(1, of: 2) {
        let others = waiting.filter { $0 != batch }.shuffled(using: &random)
        return .ingest(batches: [batch] + others.prefix(Int.random(in: 0...2, using: &random)))
      }
      guard left > 0 else { return nil }
      passTime()
      return .ingest(
        batches: (0..<min(left, Int.random(in: 1...3, using: &random))).map { _ in
          newBatch(&left)
        })
    }
  }

  private func newBatch(_ left: inout Int) -> Int {
    left -= 1
    figures.batches += 1
    let subject = chance(1, of: 3) ? victim : Self.main
    let size = Int.random(in: 1...3, using: &random)
    return model.addBatch(of: subject, traces: size, day: calendar.day)
  }

  /// A day passes, if no host has to give up a batch for it and no receiver is at one for days.
  private func passTime() {
    guard chance(2, of: 3), pending.allSatisfy({ model.batches[$0].day >= calendar.day - 5 }),
      operations.values.allSatisfy({ $0.day >= calendar.day - 1 })
    else { return }
    calendar.pass(days: 1)
  }

  private func removal() -> Operation? {
    let subject = model.subjects[victim]
    guard subject.removalBeganAt == nil || subject.removedAt == nil else { return nil }
    let isTried = operations.values.contains {
      switch $0.operation {
      case .forget, .dropBuild: true
      default: false
      }
    }
    guard !isTried,
      model.batches.contains(where: { $0.subject == victim && $0.acknowledgedAt != nil })
    else { return nil }
    return chance(1, of: 2) ? .forget(subject: victim) : .dropBuild(subject: victim)
  }

  private func start(_ operation: Operation, on receiver: ScheduleReceiver) async {
    let client = receiver.client
    operations[client] = (operation, calendar.day)
    if client != Self.readerClient { note("receiver \(client) \(operation)") }
    await gate.begin(client)
    let store = receiver.store
    let gate = gate
    let program = model.subjects[Self.main].program
    let work: @Sendable () async throws -> (Bool, ScheduleAnswer?)
    switch operation {
    case .ingest(let batches):
      for batch in batches { model.noteSent(batch, at: step) }
      let senders = batches.map { traces(of: $0) }
      work = {
        let day = try await receiver.notedDay()
        return (try await Self.ingest(senders, into: store, on: day), nil)
      }
    case .forget(let subject):
      model.subjects[subject].removalBeganAt = step
      let key = model.subjects[subject].program
      work = { (try await store.forget(key, by: "a test"), nil) }
    case .dropBuild(let subject):
      model.subjects[subject].removalBeganAt = step
      let key = model.subjects[subject].program
      let last = FleetDay(number: ScheduleCalendar.first + 2000)
      let deletion = Deletion(
        .build(key, program: "server", lastReport: last), reason: "retain-builds=1")
      work = { (try await Self.drop(deletion, from: store), nil) }
    case .dropDays:
      let deletion = Deletion(
        .days(before: FleetDay(number: ScheduleCalendar.first + 1)), reason: "retain-days=1")
      work = { (try await Self.drop(deletion, from: store), nil) }
    case .forgetTraces:
      work = {
        let known = try await store.traceDays()
        try await store.forgetTraces(
          before: TraceMemory.horizon(today: receiver.clock, known: known))
        return (true, nil)
      }
    case .read:
      work = {
        (true, ScheduleAnswer(try await store.coverage(of: program, in: SeriesFilter())))
      }
    }
    Task {
      do {
        let (isDone, answer) = try await work()
        await gate.end(client, .done(isDone, answer))
      } catch {
        await gate.end(client, .failed(error as? Failure ?? Failure(.data, "\(error)")))
      }
    }
  }

  /// - Returns: whether all were taken.
  private static func ingest(
    _ senders: [[FleetTrace]], into store: ClickHouseFleetStore, on day: FleetDay
  ) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for traces in senders {
        group.addTask {
          let receipt = try await store.ingest(traces, on: day)
          return receipt.added + receipt.known == traces.count
        }
      }
      var isTaken = true
      var failure: (any Error)?
      // All come to an end, so that no statement of this operation follows it.
      while let result = await group.nextResult() {
        do { isTaken = try result.get() && isTaken } catch { failure = error }
      }
      if let failure { throw failure }
      return isTaken
    }
  }

  /// - Returns: whether anything was removed.
  private static func drop(
    _ deletion: Deletion, from store: ClickHouseFleetStore
  ) async throws -> Bool {
    let before = try await store.inventory(sizedAbove: nil).builds.count
    try await store.drop([deletion]) { _, _ in }
    return try await store.inventory(sizedAbove: nil).builds.count < before
  }

  private func end(_ client: Int, _ outcome: StatementGate.Outcome) async throws {
    guard let (operation, _) = operations.removeValue(forKey: client) else { return }
    switch (operation, outcome) {
    case (.read(let since), .done(_, let answer?)):
      figures.answers += 1
      add(
        model.violations(of: answer, subject: Self.main, from: since, to: step),
        "an answer that was asked for from \(since) to \(step)")
    case (.ingest(let batches), .done(let isDone, _)):
      note("receiver \(client) acknowledges \(batches)")
      if !isDone { violations.append("one of the batches \(batches) was refused") }
      for batch in batches { model.noteAcknowledged(batch, at: step) }
    case (.forget(let subject), .done), (.dropBuild(let subject), .done):
      note("receiver \(client) has removed subject \(subject)")
      model.subjects[subject].removedAt = step
    case (.dropDays, .done):
      note("receiver \(client) has dropped old days")
      areOldDaysDropped = true
    case (_, .failed(let failure)):
      if client != Self.readerClient {
        note("receiver \(client) fails: \(failure.problem.prefix(150))")
      }
      if failure.kind != .unavailable { violations.append("\(operation): \(failure.problem)") }
      if let index = receivers.firstIndex(where: { $0.client == client }),
        failure.problem == ScheduleReceiver.killed.problem
      {
        receivers[index] = receiver(client, skew: skew())
        note("receiver \(client) starts, \(receivers[index].skew) days ahead")
      }
    default: break
    }
  }

  // MARK: Statements

  /// Lets one statement go, for better or worse.
  private func advance(_ statements: [Int: HTTPRequest]) async {
    let clients = statements.keys.sorted()
    var able = clients.filter { pausedUntil[$0] ?? 0 <= step }
    if able.isEmpty { able = clients }
    guard let client = able.randomElement(using: &random), let request = statements[client] else {
      return
    }
    figures.statements += 1
    let statement = Statement(request, to: address)
    guard client != Self.readerClient else {
      return await gate.answer(client, await send(request))
    }
    if step < shardIsBackAt, !statement.isOfFirstServer {
      if statement.server == 0, address.servers.count > 1, let half = statement.halved {
        _ = await send(half)
      }
      note("receiver \(client): \(statement.summary): a shard is away")
      return await gate.answer(client, .failure(Failure(.unavailable, "a shard is away")))
    }
    guard chance(faultRate, of: 1000) else {
      if !statement.isRead { note("receiver \(client): \(statement.summary)") }
      return await gate.answer(client, await send(request))
    }
    await fail(statement, of: client)
  }

  private static let faults = [
    "lost before", "lost before", "lost after", "lost after", "late", "late", "half", "paused",
    "paused", "killed before", "killed after", "killed, late", "shard away",
  ]

  private func fail(_ statement: Statement, of client: Int) async {
    var fault = Self.faults.randomElement(using: &random) ?? ""
    if fault == "half", address.servers.count == 1 || statement.halved == nil {
      fault = "lost before"
    }
    if fault == "shard away", address.servers.count == 1 { fault = "paused" }
    figures.faults[fault, default: 0] += 1
    note("receiver \(client): \(statement.summary): \(fault)")
    switch fault {
    case "paused":
      pausedUntil[client] = step + Int.random(in: 20...400, using: &random)
      return
    case "shard away":
      shardIsBackAt = step + Int.random(in: 20...100, using: &random)
      return
    case "lost after", "killed after": _ = await send(statement.request)
    case "late", "killed, late": if !statement.isRead { late.append(statement.request) }
    case "half": if let half = statement.halved { _ = await send(half) }
    default: break
    }
    guard fault.hasPrefix("killed") else {
      return await gate.answer(client, .failure(Failure(.unavailable, "the answer got lost")))
    }
    receivers.first { $0.client == client }?.kill()
    await gate.answer(client, .failure(ScheduleReceiver.killed))
  }

  private func landOne() async {
    let request = late.remove(at: Int.random(in: 0..<late.count, using: &random))
    let result = await send(request)
    let isDone = (try? result.get())?.status == 200
    note("lands late\(isDone ? "" : ", in vain"): \(Statement(request, to: address).summary)")
  }

  private func send(_ request: HTTPRequest) async -> Result<HTTPAnswer, Failure> {
    do {
      guard let sabotage else { return .success(try await transport.send(request)) }
      return .success(
        try await sabotage.send(Statement(request, to: address), by: transport))
    } catch { return .failure(error) }
  }

  // MARK: What has to hold

  private func add(_ found: [String], _ place: String) {
    violations += found.map { "\(place): \($0)" }
  }

  /// Compares what the store says, and what plain SQL finds in it, with the model. Nothing happens meanwhile.
  private func check(_ checker: ScheduleReceiver) async throws {
    figures.answers += 1
    for number in [Self.main, victim] {
      let subject = model.subjects[number]
      var keys = [subject.program]
      if number == Self.main { keys.append(subject.library) }
      for key in keys {
        let coverage = try await checker.store.coverage(of: key, in: SeriesFilter())
        let answer = ScheduleAnswer(coverage)
        add(
          model.violations(of: answer, subject: number, from: step, to: step),
          "store, subject \(number)")
        let plain = try await oracle.answer(of: key)
        add(
          model.violations(of: plain, subject: number, from: step, to: step),
          "SQL, subject \(number)")
      }
    }
    if areOldDaysDropped {
      let old = try await oracle.answer(of: model.subjects[Self.old].program)
      if !old.runs.isEmpty { violations.append("days that were dropped are back: \(old.runs)") }
    }
    let repeated = try await oracle.repeatedTraces()
    if repeated > 0 { violations.append("\(repeated) traces are known twice") }
  }

  /// All is well again: what was not acknowledged is sent until it is, what is late lands, all of it is
  /// summed up, and counts.
  private func finish(on checker: ScheduleReceiver) async throws {
    note("all is well again")
    try await check(checker)
    let retired =
      model.subjects[victim].removalBeganAt != nil
      && model.subjects[victim].removedAt == nil
    if retired {
      let began = step
      _ = try await checker.store.forget(model.subjects[victim].program, by: "a test")
      model.subjects[victim].removalBeganAt = began
      model.subjects[victim].removedAt = step
      try await check(checker)
    }
    for _ in 0..<tuning.fan * 3 {
      step += 1
      while !late.isEmpty { await landOne() }
      let batch = model.addBatch(of: Self.main, traces: 1, day: calendar.day)
      model.noteSent(batch, at: step)
      let day = try await checker.notedDay()
      _ = try await checker.store.ingest(traces(of: batch), on: day)
      step += 1
      model.noteAcknowledged(batch, at: step)
      guard violations.isEmpty else { return }
      try await check(checker)
    }
    try await oracle.drop()
  }
}
