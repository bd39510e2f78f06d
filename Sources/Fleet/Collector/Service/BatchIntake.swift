import Crypto
import FirstlightModel
import FleetAPI
import FleetModel
import SpoolIntake
import Synchronization
import SystemSupport

/// Counts batches that anybody may have made: one at a time, each in parts that fit in memory, and none
/// that has ended the daemon twice.
final class BatchIntake: Sendable {
  private let store: any FleetStore
  /// Nil: there is no place for one.
  private let journal: WorkJournal?
  private let turn = AsyncMutex()
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
    await turn.take()
    let result: Result<IngestReceipt, DeliveryError>
    do throws(DeliveryError) {
      result = .success(try await takeAlone(body, inflatedLimit, on: try await notedDay()))
    } catch {
      result = .failure(error)
    }
    await turn.give()
    return try result.get()
  }

  private func takeAlone(
    _ body: [UInt8], _ inflatedLimit: Int?, on day: FleetDay
  ) async throws(DeliveryError) -> IngestReceipt {
    let work = Self.name(of: body)
    guard journal?.begin(work) ?? true else { throw .refused(Self.refusal) }
    defer { journal?.end() }
    let batch: CheckedBatch
    do throws(Failure) {
      batch = try CheckedBatch(
        inflatedLimit.map { limit throws(Failure) in try Deflate.inflate(body, limit: limit) }
          ?? body)
    } catch { throw .refused(error) }
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
