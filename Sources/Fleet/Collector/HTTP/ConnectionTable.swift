import NIOCore
import Synchronization

/// All open connections. A connection that only waits for its client makes room for new ones.
///
/// There are at most `limit` connections, and `peerLimit` of one peer. One more replaces the connection that
/// has waited longest for its client, so any number of slow or idle connections cannot keep others out. A
/// request that is being received or worked on is never cut off.
final class ConnectionTable: Sendable {
  private struct Entry {
    let peer: Peer
    let channel: any Channel
    /// When the server began to wait for the client's next request, or for the client to read the answer; nil:
    /// a request is being received or worked on.
    var waitingSince: NIODeadline?
    /// Whether the client has stopped sending.
    var isLeft = false
    /// Cancels the work for the client.
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

    /// - Returns: false if the client has left.
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

    /// - Parameter peer: nil: any peer.
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

  /// Registers a new connection.
  /// - Returns: the connection to close for the new one, or the new one itself; nil if there is room, or if no
  ///   connection waits and the server has to stop accepting.
  func open(_ channel: any Channel) -> (any Channel)? {
    let id = ObjectIdentifier(channel)
    let peer = Peer(channel.remoteAddress)
    return state.withLock { state in
      state.add(Entry(peer: peer, channel: channel, waitingSince: .now()))
      if state.count(of: peer) > peerLimit {
        return state.remove(state.longestWaiting(of: peer, but: id) ?? id)
      }
      // When the table is full, the server stops accepting.
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

  /// Notes that a client closed the connection, or its sending half. The difference shows only when the server
  /// sends, so both count as the same, as in Go's and nginx' servers.
  func leave(_ channel: any Channel) {
    state.withLock { $0.setLeft(ObjectIdentifier(channel)) }?()
  }

  /// Runs work for a client on an executor. The task is cancelled when the client leaves.
  func whileThere<Answer: Sendable>(
    _ channel: any Channel, on executor: some TaskExecutor, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let id = ObjectIdentifier(channel)
    return try await withoutActuallyEscaping(body) { body in
      // The closure is never used concurrently, because this function waits for the task.
      nonisolated(unsafe) let body = body
      let task = Task(executorPreference: executor) { @Sendable in try await body() }
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

/// The address of a client: an IPv4 address, or an IPv6 network of 64 bits, which is the smallest that one
/// owner has. All loopback addresses are one peer.
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
