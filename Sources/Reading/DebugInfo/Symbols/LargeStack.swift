import FirstlightModel
import Glibc
import SystemSupport

/// Runs code that may recurse deeper than the stack of an ordinary thread allows.
enum LargeStack {
  /// Stack size in bytes.
  private static let size = 16 << 20

  /// Runs `body` to its end on a thread with a large stack; on this thread if none can be created,
  /// as in the daemon's worker, whose only thread has the stack of a process.
  static func run(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, size)
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, &attributes,
      { work in
        Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard status == 0 else { return work.takeRetainedValue().body() }
    pthread_join(thread, nil)
  }

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
