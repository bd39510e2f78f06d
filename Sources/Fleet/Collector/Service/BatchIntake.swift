import Crypto
import FirstlightModel
import FleetAPI
import FleetModel
import SpoolIntake
import Synchronization
import SystemSupport

/// Counts batches that anybody may have made: each in parts that fit in memory, and none that has ended the
/// daemon twice.
///
/// They are read one at a time. They are written one at a time too, unless the store joins what comes at the
/// same time; then several wait for it, as many as there is room for. A batch that was there when the daemon
/// died is read and written alone, so that one that ends the daemon is found.
final class BatchIntake: Sendable {
  private let store: any FleetStore
  /// Nil: there is no place for one.
  private let journal: WorkJournal?
  private let turn = AsyncMutex()
  private let room = BatchRoom(weightLimit: CheckedBatch.partWeight)
  /// The day under which traces are remembered, as long as it is the same day; used by one task at a time.
  private let day = Mutex<(today: FleetDay, noted: FleetDay)?>(nil)

  init(store: any FleetStore, journal: WorkJournal?) {
    self.store = store
    self.journal = journal
  }

  /// Brings a batch into the store.
  /// - Parameters:
  ///   - body: the batch, maybe deflated.
  ///   - inflatedLimit: the most bytes that a deflated batch may become; nil if it is none.
  func take(_ body: [UInt8], inflatedLimit: Int? = nil) async throws(DeliveryError) -> IngestReceipt
  {
    let work = Self.name(of: body)
    await turn.take()
    let isSuspect = journal?.isSuspect(work) ?? false
    // Nothing else is read meanwhile, and nothing else is being written.
    let isAlone = isSuspect || !store.joinsBatches
    if isAlone { await room.take(0, alone: true) }
    guard journal?.begin(work) ?? true else {
      if isAlone { await room.give(0, alone: true) }
      await turn.give()
      throw .refused(Self.refusal)
    }
    let result: Result<IngestReceipt, DeliveryError>
    do throws(DeliveryError) {
      result = .success(try await take(body, inflatedLimit, alone: isAlone))
    } catch {
      result = .failure(error)
    }
    journal?.end(work)
    if isAlone {
      await room.give(0, alone: true)
      await turn.give()
    }
    return try result.get()
  }

  /// - Parameter isAlone: keeps the turn; otherwise it is given back as soon as the batch was read.
  private func take(
    _ body: [UInt8], _ inflatedLimit: Int?, alone isAlone: Bool
  ) async throws(DeliveryError) -> IngestReceipt {
    let batch: CheckedBatch
    let day: FleetDay
    do throws(DeliveryError) {
      day = try await notedDay()
      batch = try Self.read(body, inflatedLimit)
    } catch {
      if !isAlone { await turn.give() }
      throw error
    }
    if isAlone { return try await write(batch, on: day) }
    let weight = batch.weight
    await room.take(weight)
    await turn.give()
    let result: Result<IngestReceipt, DeliveryError>
    do throws(DeliveryError) { result = .success(try await write(batch, on: day)) } catch {
      result = .failure(error)
    }
    await room.give(weight)
    return try result.get()
  }

  private static func read(
    _ body: [UInt8], _ inflatedLimit: Int?
  ) throws(DeliveryError) -> CheckedBatch {
    do throws(Failure) {
      return try CheckedBatch(
        inflatedLimit.map { limit throws(Failure) in try Deflate.inflate(body, limit: limit) }
          ?? body)
    } catch { throw .refused(error) }
  }

  private func write(
    _ batch: CheckedBatch, on day: FleetDay
  ) async throws(DeliveryError) -> IngestReceipt {
    var receipt = IngestReceipt()
    for part in 0..<batch.partCount {
      let traces: [FleetTrace]
      do throws(Failure) { traces = try batch.traces(ofPart: part) } catch {
        throw .refused(error)
      }
      do { receipt.add(try await store.ingest(traces, on: day)) } catch { throw failure(error) }
    }
    return receipt
  }

  /// Today, unless the store knows better.
  private func notedDay() async throws(DeliveryError) -> FleetDay {
    let today = FleetDay(of: Clock.realtime())
    if let day = day.withLock({ $0 }), day.today == today { return day.noted }
    do {
      let noted = TraceMemory.day(today: today, known: try await store.traceDays())
      day.withLock { $0 = (today, noted) }
      return noted
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> DeliveryError {
    .failed((error as? Failure) ?? Failure(.unavailable, "\(store.name): \(error)"))
  }

  /// What a journal calls a batch.
  static func name(of batch: [UInt8]) -> String {
    "batch-"
      + SHA256.hash(data: batch).prefix(16).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
  }

  static let refusal = Failure(
    .data, "firstlightd crashed \(WorkJournal.deathLimit) times while counting this batch",
    advice: "this is a bug: report it with the batch")
}
