import FirstlightModel
import Glibc

/// A Unix socket on which other programs request a scan of the spool. A client gets the answer
/// "ok"; nothing is read from it.
final class ScanSocket {
  let descriptor: CInt
  private let path: String?
  /// Requests of each user in this second.
  private var heard: [UInt32: Int] = [:]
  private var second = 0

  /// - Throws: `.cannotCreate`, naming the path.
  init(path: String) throws(Failure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else {
      throw Failure(.usage, "\(path): too long for a socket path, at most \(capacity - 1) bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    descriptor = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    self.path = path
    // Only the holder of the spool's lock gets here, so an existing socket belongs to a dead process.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard descriptor >= 0, bound == 0, chmod(path, 0o666) == 0,
      listen(descriptor, Self.backlog) == 0
    else {
      let reason = ErrorText.of(errno)
      close(descriptor)
      throw Failure(.cannotCreate, "\(path): cannot listen: \(reason)")
    }
  }

  /// Uses a socket that already listens, as systemd passes it.
  init(listening descriptor: CInt) {
    self.descriptor = descriptor
    path = nil
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  /// Maximum of waiting connections, and of answers in a row, so that the spool gets its turn.
  private static let backlog: CInt = 64

  /// Answers waiting clients; returns whether a scan is needed.
  func answer(now: Int) -> Bool {
    if now != second {
      second = now
      heard = [:]
    }
    var needsScan = false
    for _ in 0..<Self.backlog {
      let peer = accept(descriptor, nil, nil)
      guard peer >= 0 else {
        // Without free descriptors, the connection keeps waiting and would make this loop spin.
        if ![EAGAIN, ECONNABORTED, EINTR].contains(errno) { usleep(100_000) }
        break
      }
      // struct ucred of unix(7): process, user, group.
      var credentials: (pid: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
      var size = socklen_t(MemoryLayout.size(ofValue: credentials))
      if getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 {
        let count = heard[credentials.user, default: 0]
        heard[credentials.user] = count + 1
        // Limits one user's requests, so that they do not delay the work for others.
        if count < 10 { needsScan = true }
        _ = send(peer, "ok\n", 3, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
      }
      close(peer)
    }
    return needsScan
  }
}
