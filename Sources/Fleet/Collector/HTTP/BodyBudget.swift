import FirstlightModel
import Logging
import Synchronization

/// Limits the memory of all batches that are being received or wait to be counted.
///
/// A batch counts with the bytes that have arrived, not with the length that its sender states. If the budget
/// is used up, the server looks for another peer with more than a quarter of the budget, and cuts off the
/// unfinished batch that this peer began last. So no peer fills the budget for long. Without such a peer, the
/// sender is asked to retry. No batch waits for memory: complete batches are soon counted, which frees theirs.
final class BodyBudget: Sendable {
  /// One batch.
  struct Share: Sendable {
    fileprivate let number: UInt64
    fileprivate let peer: Peer
  }

  private struct Entry {
    let peer: Peer
    /// Closes the connection on which the batch arrives.
    let cutOff: @Sendable () -> Void
    var bytes = 0
    /// Whether more bytes may arrive.
    var isReceiving = true
  }

  private struct State {
    private(set) var entries: [UInt64: Entry] = [:]
    private(set) var total = 0
    private var begun: UInt64 = 0

    mutating func begin(_ entry: Entry) -> UInt64 {
      begun += 1
      entries[begun] = entry
      return begun
    }

    mutating func add(_ bytes: Int, to number: UInt64) {
      entries[number]?.bytes += bytes
      total += bytes
    }

    mutating func end(receiving number: UInt64) { entries[number]?.isReceiving = false }

    @discardableResult
    mutating func remove(_ number: UInt64) -> Entry? {
      let entry = entries.removeValue(forKey: number)
      total -= entry?.bytes ?? 0
      return entry
    }

    /// The unfinished batch that another peer began last, if that peer holds more than `limit`.
    func excess(over limit: Int, but peer: Peer) -> UInt64? {
      let others = entries.filter { $0.value.peer != peer }
      let held = Dictionary(others.map { ($0.value.peer, $0.value.bytes) }, uniquingKeysWith: +)
      return others.filter { $0.value.isReceiving && $0.value.bytes > 0 }
        .filter { held[$0.value.peer, default: 0] > limit }
        .max { a, b in
          (held[a.value.peer, default: 0], a.key) < (held[b.value.peer, default: 0], b.key)
        }?.key
    }
  }

  /// Bytes.
  let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Bytes that batches occupy now.
  var held: Int { state.withLock { $0.total } }

  /// Registers a new batch.
  /// - Parameters:
  ///   - length: the length that the sender states; nil if not stated.
  ///   - cutOff: closes the connection. May be called at any time until `end(_:)`.
  /// - Throws: `.unavailable` if the budget is used up.
  func begin(
    from peer: Peer, length: Int?, cutOff: @escaping @Sendable () -> Void
  ) throws(Failure) -> Share {
    let number = state.withLock { state -> UInt64? in
      let isHopeless = state.total + (length ?? 0) > limit
      guard !isHopeless || state.excess(over: limit / 4, but: peer) != nil else { return nil }
      return state.begin(Entry(peer: peer, cutOff: cutOff))
    }
    guard let number else { throw Self.noRoom }
    return Share(number: number, peer: peer)
  }

  /// Reserves memory for bytes of a batch that have arrived.
  /// - Throws: `.unavailable` if the budget is used up.
  func take(_ bytes: Int, for share: Share) throws(Failure) {
    var displaced: [Entry] = []
    let isThere = state.withLock { state in
      guard state.entries[share.number] != nil else { return false }
      while state.total + bytes > limit {
        guard let other = state.excess(over: limit / 4, but: share.peer),
          let entry = state.remove(other)
        else { return false }
        displaced.append(entry)
      }
      state.add(bytes, to: share.number)
      return true
    }
    for entry in displaced { entry.cutOff() }
    guard isThere else { throw Self.noRoom }
  }

  /// Marks a batch as complete, so that it is not cut off any more.
  func received(_ share: Share) { state.withLock { $0.end(receiving: share.number) } }

  /// Releases the memory of a batch.
  func end(_ share: Share) { _ = state.withLock { $0.remove(share.number) } }

  static let noRoom = Failure(
    .unavailable, "too many batches are being received", advice: "retry in a few seconds")
}

/// The rule for access to a daemon: reading and uploading.
enum Admission: Sendable {
  /// The holder of a token in the file may do what the token's role allows.
  case tokens(TokenGate)
  /// A client with a certificate, which TLS requires, may read and upload.
  case certificates
  /// Every user of this machine may read; uploads need the local token. Only the token's hash is kept.
  case local(hash: String)
  /// Every user of this machine may read. Uploads are refused, because there is no place for a local token.
  case askingOnly

  /// Without a token file and client certificates, only this machine reaches the daemon
  /// (`DaemonConfiguration.check`), and uploads need its local token.
  /// - Throws: `Failure` if the token file or the local token's file cannot be used.
  init(_ configuration: DaemonConfiguration, logger: Logger) throws(Failure) {
    if let path = configuration.tokenFile {
      self = .tokens(try TokenGate(file: TokenFile(path: path), logger: logger))
      return
    }
    if configuration.tls.authorities != nil {
      self = .certificates
      return
    }
    let directory: String
    do { directory = try StateDirectory.made() } catch {
      logger.warning(
        "clients cannot send to this daemon: no state directory for a local token",
        metadata: ["reason": "\(error.problem)"])
      self = .askingOnly
      return
    }
    self = .local(hash: TokenFile.hash(try LocalTokenFile(directory: directory).token()))
  }

  /// - Throws: `Failure` if the token file has an error, or cannot be read.
  func check() throws(Failure) {
    if case .tokens(let gate) = self { try gate.check() }
  }
}
