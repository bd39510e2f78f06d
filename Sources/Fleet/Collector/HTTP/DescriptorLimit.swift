import FirstlightModel
import FleetModel
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// Limits on the descriptors of this process, and on the share for connections.
package enum DescriptorLimit {
  /// Descriptors reserved for the spool, the store, readers of builds and an upstream. A client that holds all
  /// connections must not stop the intake.
  static let reserved = 256

  /// Raises the limit to the system's maximum. If that fails, the limit stays unchanged.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of connections that the descriptors allow, at most `wanted`. If descriptors are few,
  /// connections get half of them.
  static func connections(wanted: Int) -> Int {
    let limit = current
    return max(1, min(wanted, limit - min(reserved, limit / 2)))
  }
}
