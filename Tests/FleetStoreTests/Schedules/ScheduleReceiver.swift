import ClickHouseStore
import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport
import Synchronization

/// A receiver in a schedule: a store of its own, whose clock is wrong, until it is killed.
final class ScheduleReceiver: Sendable {
  let client: Int
  /// By how many days its clock is ahead.
  let skew: Int
  let store: ClickHouseFleetStore
  private let isDead: Dead
  private let today: Mutex<(today: FleetDay, noted: FleetDay)?> = Mutex(nil)
  private let calendar: ScheduleCalendar

  /// - Parameter gate: nil: its statements go straight to the servers.
  init(
    client: Int, skew: Int, address: ClickHouseAddress, transport: HTTPTransport,
    tuning: ClickHouseTuning, calendar: ScheduleCalendar, gate: StatementGate?
  ) {
    self.client = client
    self.skew = skew
    self.calendar = calendar
    let dead = Dead()
    isDead = dead
    var tuning = tuning
    tuning.now = { calendar.now(aheadBy: skew) }
    store = ClickHouseFleetStore(address, tuning: tuning) { request throws(Failure) in
      guard let gate, !Statement(request, to: address).isPoll else {
        return try await transport.send(request)
      }
      guard !dead.isSet.load(ordering: .relaxed) else { throw Self.killed }
      return try await gate.ask(client, request).get()
    }
  }

  static let killed = Failure(.unavailable, "the receiver was killed")

  private final class Dead: Sendable {
    let isSet = Atomic(false)
  }

  /// From now on no statement of it gets to a server.
  func kill() { isDead.isSet.store(true, ordering: .relaxed) }

  var clock: FleetDay { FleetDay(of: calendar.now(aheadBy: skew)) }

  /// The day under which it remembers traces, as `BatchIntake` has it.
  func notedDay() async throws -> FleetDay {
    let now = clock
    if let day = today.withLock({ $0 }), day.today == now { return day.noted }
    let noted = TraceMemory.day(today: now, known: try await store.traceDays())
    today.withLock { $0 = (now, noted) }
    return noted
  }
}

/// The day of a schedule, by a clock that is right: it passes as the schedule wants.
final class ScheduleCalendar: Sendable {
  static let first: Int32 = 20_000
  private let passed = Atomic(0)

  var day: Int32 { Self.first + Int32(passed.load(ordering: .relaxed)) }

  func pass(days: Int) { passed.add(days, ordering: .relaxed) }

  /// Seconds since 1970; two moments are never the same.
  func now(aheadBy days: Int) -> Double {
    let elapsed = ProcessInfo.processInfo.systemUptime.truncatingRemainder(dividingBy: 86400)
    return Double(Int(day) + days) * 86400 + elapsed / 2
  }
}
