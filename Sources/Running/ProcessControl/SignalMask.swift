import Glibc

/// The signals that a thread has blocked.
package struct SignalMask {
  package var set: sigset_t

  /// The calling thread's.
  package static var current: SignalMask {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return SignalMask(set: set)
  }

  /// Makes it the calling thread's.
  package func use() {
    var set = set
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}
