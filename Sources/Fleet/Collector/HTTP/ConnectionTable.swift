import NIOCore
import Synchronization

/// The connections there are, so that those which only wait make room for others.
///
/// At most `limit` in all, and `peerLimit` of one peer. One more replaces the connection that has waited
/// longest for its client, so slow or idle connections, however many, cannot keep others out. A request that
/// is being received or worked on is never cut off.
final class ConnectionTable: Sendable {
  private struct Entry {
    let peer: Peer
    let channel: any Channel
    /// Since when it has been the client's turn to ask, or to take an answer; nil: a request is being received or
    /// worked on.
    var waitingSince: NIODeadline?
    /// Whether its client sends no more.
    var isLeft = false
    /// Ends what is being done for its client.
    var onLeave: (@Sendable () -> Void)?
  }

  private struct State {
    private(set) var entries: [ObjectIdentifier: Entry] = [:]
    private var counts: [Peer: Int] = [:]

    func count(of peer: Peer) -> Int { counts[peer, default: 0] }

    mutating func add(_ entry: Entry) {
      entries[ObjectIdentifier(entry.channel)] = entry
      counts[entry.peer, default: 0] += 1
    }

    mutating func setWaiting(since: NIODeadline?, _ id: ObjectIdentifier) {
      entries[id]?.waitingSince = since
    }

    mutating func setLeft(_ id: ObjectIdentifier) -> (@Sendable () -> Void)? {
      entries[id]?.isLeft = true
      return entries[id]?.onLeave
    }

    /// - Returns: false if its client has left.
    mutating func setOnLeave(_ id: ObjectIdentifier, _ action: (@Sendable () -> Void)?) -> Bool {
      entries[id]?.onLeave = action
      return entries[id]?.isLeft == false
    }

    @discardableResult
    mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
      guard let entry = entries.removeValue(forKey: id) else { return nil }
      let left = count(of: entry.peer) - 1
      counts[entry.peer] = left > 0 ? left : nil
      return entry.channel
    }

    /// - Parameter peer: nil: of any.
    func longestWaiting(of peer: Peer?, but id: ObjectIdentifier) -> ObjectIdentifier? {
      entries.lazy.filter { $0.key != id && (peer == nil || $0.value.peer == peer) }
        .compactMap { entry in entry.value.waitingSince.map { (id: entry.key, since: $0) } }
        .min { $0.since < $1.since }?.id
    }
  }

  private let limit: Int
  private let peerLimit: Int
  private let state = Mutex(State())

  init(limit: Int, peerLimit: Int) {
    self.limit = limit
    self.peerLimit = peerLimit
  }

  /// Notes a new connection.
  /// - Returns: the one to close for it, which may be the new one itself; nil if there is room, or none
  ///   waits and the server has to stop accepting.
  func open(_ channel: any Channel) -> (any Channel)? {
    let id = ObjectIdentifier(channel)
    let peer = Peer(channel.remoteAddress)
    return state.withLock { state in
      state.add(Entry(peer: peer, channel: channel, waitingSince: .now()))
      if state.count(of: peer) > peerLimit {
        return state.remove(state.longestWaiting(of: peer, but: id) ?? id)
      }
      // With the last place taken, the server stops accepting.
      guard state.entries.count >= limit else { return nil }
      return state.longestWaiting(of: nil, but: id).flatMap { state.remove($0) }
    }
  }

  func setWaiting(_ isWaiting: Bool, _ channel: any Channel) {
    state.withLock { $0.setWaiting(since: isWaiting ? .now() : nil, ObjectIdentifier(channel)) }
  }

  func close(_ channel: any Channel) {
    leave(channel)
    _ = state.withLock { $0.remove(ObjectIdentifier(channel)) }
  }

  /// Notes that a client closed the connection, or its half of it. Which one of these it is shows only when
  /// something is sent to it, so both are the same, as in Go's and nginx' servers.
  func leave(_ channel: any Channel) {
    state.withLock { $0.setLeft(ObjectIdentifier(channel)) }?()
  }

  /// Does something for a client, on an executor; its task is cancelled when the client leaves.
  func whileThere<Answer: Sendable>(
    _ channel: any Channel, on executor: some TaskExecutor, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let id = ObjectIdentifier(channel)
    return try await withoutActuallyEscaping(body) { body in
      // It is not used by two at a time: we wait for the task.
      nonisolated(unsafe) let body = body
      let task = Task(executorPreference: executor) { try await body() }
      if !state.withLock({ $0.setOnLeave(id) { task.cancel() } }) { task.cancel() }
      defer { _ = state.withLock { $0.setOnLeave(id, nil) } }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}

/// Who is at the other end: an IPv4 address, or the network of 64 bits that one owner of IPv6 has at
/// least. All of loopback is one.
struct Peer: Hashable {
  private let bytes: [UInt8]

  init(network bytes: [UInt8]) { self.bytes = bytes }

  init(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      bytes = Self.v4(withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address):
      let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      if all.starts(with: [UInt8](repeating: 0, count: 10) + [0xff, 0xff]) {
        bytes = Self.v4(Array(all.suffix(4)))
      } else {
        bytes = all.dropLast().allSatisfy { $0 == 0 } ? [] : Array(all.prefix(8))
      }
    case .unixDomainSocket, nil: bytes = []
    }
  }

  private static func v4(_ address: [UInt8]) -> [UInt8] { address[0] == 127 ? [] : address }
}
