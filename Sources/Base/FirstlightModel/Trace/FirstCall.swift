/// The first call of one function in one process.
package struct FirstCall: Hashable, Sendable {
  /// Index of the function's image in the trace.
  package var image: Int32
  /// The function's guard index within that image, counted from 0.
  package var guardIndex: UInt32
  /// Kernel id of the calling thread.
  package var thread: UInt32
  /// The call's position among the process's first calls, over all images, counted from 0.
  package var sequence: UInt32
  /// CLOCK_MONOTONIC, nanoseconds.
  package var time: UInt64
  /// Link-time address just after the hook call. It lies in the function's body; for a merged
  /// function, in the shared body and not in the function itself.
  package var caller: UInt64

  package init(
    image: Int32, guardIndex: UInt32, thread: UInt32, sequence: UInt32, time: UInt64, caller: UInt64
  ) {
    self.image = image
    self.guardIndex = guardIndex
    self.thread = thread
    self.sequence = sequence
    self.time = time
    self.caller = caller
  }
}
