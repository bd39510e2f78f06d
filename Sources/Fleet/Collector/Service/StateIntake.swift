import BuildReader
import FirstlightModel
import FleetModel
import Synchronization
import SystemSupport

/// Writes untrusted batches to the store.
///
/// One write runs at a time. Batches that arrive meanwhile wait, and the next write includes all that fit in
/// memory, because the overhead of a small write takes most of its time. A batch that arrives while nothing
/// runs is written at once.
final class StateIntake: Sendable {
  /// Writes the batches of several publishers: see `FleetStore.take(_:on:)`.
  typealias Write =
    @Sendable ([PublishedStates], FleetDay) async -> [Result<StateReceipt, Failure>]

  private let store: any FleetStore
  private let write: Write
  let waiting = WaitingBatches()
  private let turn = AsyncMutex()
  private let today: @Sendable () -> FleetDay
  private let stored: @Sendable (Set<BuildKey>) -> Void

  /// Memory limit, in bytes, of rows that are written together. The last row may exceed it.
  private static let partWeight = 32 << 20
  /// The most batches that are written together.
  private static let batchesAtATime = 100

  /// - Parameters:
  ///   - write: writes batches to the store; tests replace it. Nil: `store.take`.
  ///   - stored: called with the builds of batches that were written.
  init(
    store: any FleetStore,
    today: @escaping @Sendable () -> FleetDay = { FleetDay(of: Clock.realtime()) },
    write: Write? = nil, stored: @escaping @Sendable (Set<BuildKey>) -> Void = { _ in }
  ) {
    self.store = store
    self.today = today
    self.write = write ?? { await store.take($0, on: $1) }
    self.stored = stored
  }

  /// Writes a batch to the store.
  /// - Parameters:
  ///   - body: the batch, deflated or plain.
  ///   - inflatedLimit: the largest inflated size in bytes; nil if the batch is plain.
  func take(
    _ body: [UInt8], inflatedLimit: Int? = nil
  ) async throws(DeliveryError) -> StateReceipt {
    let batch = WaitingBatch(body, inflatedLimit: inflatedLimit)
    waiting.append(batch)
    await turn.withLock {
      // Another request may have written the batch meanwhile. This one writes in a separate task: its
      // cancellation must not make other hosts' batches fail.
      while batch.result == nil { await Task { await self.takeWaiting() }.value }
    }
    guard let result = batch.result else { preconditionFailure("a taken batch has a result") }
    return try result.get()
  }

  /// The versions of a publisher's rows in the store.
  func versions(_ asked: StateVersions) async throws(DeliveryError) -> [RowVersion?] {
    do {
      return try await store.versions(of: Self.publisher(asked.secret), asked.rows)
    } catch {
      throw .failed(
        (error as? Failure) ?? Failure(.unavailable, "\(store.name): \(error)"))
    }
  }

  /// A batch that was read completely.
  private struct ReadBatch {
    var batch: WaitingBatch
    var part: PublishedStates
  }

  /// Writes the waiting batches that fit in memory, in order.
  private func takeWaiting() async {
    var read: [ReadBatch] = []
    var weight = 0
    while weight < Self.partWeight, read.count < Self.batchesAtATime, let batch = waiting.next() {
      do throws(Failure) {
        var reader = try Self.reader(of: batch)
        let first = try reader.next(upTo: Self.partWeight)
        if reader.isAtEnd {
          read.append(ReadBatch(batch: batch, part: first.part))
          weight += first.weight
        } else {
          await writeTogether(&read)
          batch.finish(await writeParts(first.part, then: &reader))
        }
        if read.isEmpty { weight = 0 }
      } catch {
        batch.finish(.failure(.refused(error)))
      }
    }
    await writeTogether(&read)
  }

  private static func reader(of batch: WaitingBatch) throws(Failure) -> BatchReader {
    let batch = try StateBatch(Deflate.plain(batch.body, inflatedLimit: batch.inflatedLimit))
    return BatchReader(batch, of: publisher(batch.secret))
  }

  private func write(_ parts: [PublishedStates]) async -> [Result<StateReceipt, Failure>] {
    let results = await write(parts, today())
    let builds = zip(parts, results).flatMap { part, result in
      (try? result.get()) == nil
        ? [] : part.states.map(\.key.build) + part.samples.flatMap { $0.images.map(\.build) }
    }
    if !builds.isEmpty { stored(Set(builds)) }
    return results
  }

  private func writeTogether(_ read: inout [ReadBatch]) async {
    if read.isEmpty { return }
    let results = await write(read.map(\.part))
    for (batch, together) in zip(read, results) {
      var result = together
      // The store may refuse all batches because of one.
      if read.count > 1, case .failure(let failure) = result, failure.kind != .unavailable {
        result = await write([batch.part])[0]
      }
      batch.batch.finish(result.mapError { .failed($0) })
    }
    read = []
  }

  /// Writes a batch that does not fit in memory.
  private func writeParts(
    _ first: PublishedStates, then reader: inout BatchReader
  ) async -> Result<StateReceipt, DeliveryError> {
    var receipt = StateReceipt()
    var (part, before) = (first, 0)
    while true {
      switch await write([part])[0] {
      case .success(let next): receipt.add(next, after: before)
      case .failure(let failure): return .failure(.failed(failure))
      }
      if reader.isAtEnd { return .success(receipt) }
      before = reader.rows
      do throws(Failure) { part = try reader.next(upTo: Self.partWeight).part } catch {
        return .failure(.refused(error))
      }
    }
  }

  static func publisher(_ secret: LedgerSecret) -> PublisherID {
    guard let id = PublisherID(ContentHash.of(secret.bytes)) else {
      preconditionFailure("a hash has \(PublisherID.byteCount) bytes")
    }
    return id
  }
}

/// A batch that a request waits for.
final class WaitingBatch: Sendable {
  /// Deflated or plain.
  let body: [UInt8]
  /// The largest inflated size in bytes; nil if the batch is plain.
  let inflatedLimit: Int?
  private let state = Mutex<Result<StateReceipt, DeliveryError>?>(nil)

  init(_ body: [UInt8], inflatedLimit: Int?) {
    self.body = body
    self.inflatedLimit = inflatedLimit
  }

  /// Nil as long as the batch waits.
  var result: Result<StateReceipt, DeliveryError>? { state.withLock { $0 } }

  func finish(_ result: Result<StateReceipt, DeliveryError>) { state.withLock { $0 = result } }
}

/// Waiting batches, in the order of arrival.
final class WaitingBatches: Sendable {
  private let batches = Mutex<[WaitingBatch]>([])

  var count: Int { batches.withLock { $0.count } }

  func append(_ batch: WaitingBatch) { batches.withLock { $0.append(batch) } }

  func next() -> WaitingBatch? { batches.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
