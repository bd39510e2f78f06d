import FirstlightModel
import Glibc

/// A thread that receives no signals, which are for the thread that waits for the program.
package struct SignalFreeThread: Sendable {
  private let thread: pthread_t

  /// Starts a thread for an object without retaining it: the object must join the thread before it
  /// is released. Nil if there can be no more threads.
  package init?<Owner: AnyObject & Sendable>(
    for owner: Owner, _ body: @escaping @Sendable (Owner) -> Void
  ) {
    let unretained = Unmanaged.passUnretained(owner)
    self.init { unretained._withUnsafeGuaranteedRef(body) }
  }

  /// Starts a thread. Nil if there can be no more threads.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    let retained = Unmanaged.passRetained(Work(body))
    let error = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, retained.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard error == 0 else {
      retained.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for the thread to end. Call once.
  package func join() { pthread_join(thread, nil) }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
