import Glibc
import ServiceLifecycle

/// What systemd offers to services (sd_notify(3), sd_listen_fds(3)), without its library.
enum Systemd {
  /// Tells the service manager something, if there is one.
  static func notify(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      // A name that starts with @ is an abstract one: unix(7).
      if path.hasPrefix("@") { bytes[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    _ = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, state, state.utf8.count, CInt(MSG_NOSIGNAL), $0, size)
      }
    }
  }

  /// The socket that systemd listens on for us; nil if it does not.
  static func listeningSocket() -> CInt? {
    guard let pid = getenv("LISTEN_PID"), atoi(pid) == getpid(),
      let count = getenv("LISTEN_FDS"), atoi(count) >= 1
    else { return nil }
    // SD_LISTEN_FDS_START.
    return 3
  }

  /// Seconds within which the watchdog wants to hear from us; nil if there is none.
  static var watchdogSeconds: Double? {
    guard let text = getenv("WATCHDOG_USEC"), let microseconds = Double(String(cString: text)),
      microseconds > 0
    else { return nil }
    return microseconds / 1e6
  }
}

/// Tells systemd that we are ready, that we are alive, and that we stop.
struct SystemdService: Service {
  let monitor: DaemonMonitor

  func run() async throws {
    Systemd.notify("READY=1")
    let interval = Systemd.watchdogSeconds.map { $0 / 3 } ?? 3600
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        Systemd.notify("WATCHDOG=1")
        try? await Task.sleep(for: .seconds(interval))
      }
    }
    Systemd.notify("STOPPING=1")
  }
}
