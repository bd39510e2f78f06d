import FirstlightModel
import Logging
import Synchronization

/// One budget for the memory of all batches that are being received, or wait to be counted.
///
/// A batch counts with the bytes that have arrived, not with the length that its sender states. If there is
/// no room, another peer that holds more than a quarter of the budget loses the unfinished batch it began
/// last, so that no peer fills the budget for long. Without such a peer, the sender is asked to retry.
/// Nothing waits for room: complete batches are soon counted, which frees their memory.
final class BodyBudget: Sendable {
  /// One batch.
  struct Share: Sendable {
    fileprivate let number: UInt64
    fileprivate let peer: Peer
  }

  private struct Entry {
    let peer: Peer
    /// Ends the connection that the batch arrives on.
    let cutOff: @Sendable () -> Void
    var bytes = 0
    /// Whether more of it may come.
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

    /// What another peer that holds more than `limit` began last, and has not sent as a whole.
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

  /// Bytes that batches take up now.
  var held: Int { state.withLock { $0.total } }

  /// Notes that a batch begins to come.
  /// - Parameters:
  ///   - length: how much its sender says will come; nil if nothing.
  ///   - cutOff: ends the connection. It may be called at any time until `end(_:)`.
  /// - Throws: `.unavailable` if there is no room for it now.
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

  /// Takes room for bytes of a batch that have arrived.
  /// - Throws: `.unavailable` if there is none.
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

  /// Notes that a batch has come as a whole: it is not cut off any more.
  func received(_ share: Share) { state.withLock { $0.end(receiving: share.number) } }

  /// Gives back what a batch took up.
  func end(_ share: Share) { _ = state.withLock { $0.remove(share.number) } }

  static let noRoom = Failure(
    .unavailable, "too many batches are being received", advice: "retry in a few seconds")
}

/// Who may ask a daemon, and who may send to it.
enum Admission: Sendable {
  /// Who has a token of the file, for what its role says.
  case tokens(TokenGate)
  /// Who shows a certificate, which TLS has asked for before: both.
  case certificates
  /// Everybody on this machine may ask; who has its local token may send. The token itself is not kept.
  case local(hash: String)
  /// Everybody on this machine may ask. Sending is refused, as there is no place for a local token.
  case askingOnly

  /// Without a file of tokens and without certificates of clients, only this machine reaches us
  /// (`DaemonConfiguration.check`), and its local token says who may send.
  /// - Throws: `Failure` if the token file cannot be used, the local token's too.
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

  /// - Throws: `Failure` if the token file has a mistake, or cannot be read.
  func check() throws(Failure) {
    if case .tokens(let gate) = self { try gate.check() }
  }
}
