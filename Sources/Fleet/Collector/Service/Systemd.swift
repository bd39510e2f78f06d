import FirstlightModel
import Glibc
import Logging
import ServiceLifecycle
import SpoolIntake
import UnixSignals

/// systemd's interface for services (sd_notify(3), sd_listen_fds(3)), without its library.
enum Systemd {
  /// Sends a state to the service manager, if there is one.
  static func notify(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      // A name that starts with @ is abstract: unix(7).
      if path.begins(with: "@") { bytes[0] = 0 }
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

  /// The socket that systemd opened for this service; nil without one.
  static func listeningSocket() -> CInt? {
    guard let pid = getenv("LISTEN_PID"), atoi(pid) == getpid(),
      let count = getenv("LISTEN_FDS"), atoi(count) >= 1
    else { return nil }
    // SD_LISTEN_FDS_START.
    return 3
  }

  /// Seconds within which systemd's watchdog expects a message; nil without a watchdog.
  static var watchdogSeconds: Double? {
    guard let text = getenv("WATCHDOG_USEC"), let microseconds = Double(String(cString: text)),
      microseconds > 0
    else { return nil }
    return microseconds / 1e6
  }
}
