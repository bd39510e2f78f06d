import Glibc

/// How many descriptors this process may have, and how many of them connections may take.
package enum DescriptorLimit {
  /// Kept for the work itself: the spool, the store, readers of builds, an upstream. A client that holds all
  /// connections must not stop the intake.
  static let reserved = 256

  /// Raises the limit to the most that the system allows; without that it stays as it is.
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

  /// How many of the wanted connections there can be; half of the descriptors if those are few.
  static func connections(wanted: Int) -> Int {
    let limit = current
    return max(1, min(wanted, limit - min(reserved, limit / 2)))
  }
}
