extension OverheadCompensatedClock {
  /// One stop of a thread; CLOCK_MONOTONIC, nanoseconds.
  package struct Stop: Sendable {
    package var thread: UInt32
    /// The process that it belongs to.
    package var process: UInt32
    /// The thread that it announced; 0: none.
    package var created: UInt32
    package var seen: UInt64
    package var resumed: UInt64
    /// Whether it was at the begin or the end of a system call: that costs less.
    package var isSystemCall: Bool
    /// What it had of the processors since the thread's stop before, or since the program was requested;
    /// nil: nothing is known of it.
    package var share: Share?
    /// Whether it had the tracer's processor up to here.
    package var sharesTracerCPU: Bool
    package var action: Action
    /// Nanoseconds in which the tracer had waited for a processor by then, in all: what stopped meanwhile
    /// was seen so much later.
    package var tracerQueued: UInt64

    package init(
      thread: UInt32, process: UInt32 = 0, created: UInt32, seen: UInt64, resumed: UInt64,
      isSystemCall: Bool = false, share: Share? = nil, sharesTracerCPU: Bool = false,
      action: Action = .none,
      tracerQueued: UInt64 = 0
    ) {
      self.thread = thread
      self.process = process
      self.created = created
      self.seen = seen
      self.resumed = resumed
      self.isSystemCall = isSystemCall
      self.share = share
      self.sharesTracerCPU = sharesTracerCPU
      self.action = action
      self.tracerQueued = tracerQueued
    }
  }

  /// What a thread had of the processors, as the scheduler counts it, nanoseconds.
  package struct Share: Hashable, Sendable {
    package var ran: UInt64
    /// In which it waited for a processor.
    package var queued: UInt64
    /// Whether it had a processor all the time: it neither slept nor waited.
    package var isWhole: Bool

    package init(ran: UInt64, queued: UInt64 = 0, isWhole: Bool = true) {
      self.ran = ran
      self.queued = queued
      self.isWhole = isWhole
    }
  }

  /// What a thread is about to do at a stop, as far as threads wait for each other.
  package enum Action: Hashable, Sendable {
    case none
    /// Waits on a futex; of a join, `value` is the thread that it waits for.
    case waits(address: UInt64, value: Int64)
    case wakes(address: UInt64)
    /// Waits for the end of a child.
    case awaitsProcess
    /// Writes, closes, signals: it may end what another waits for.
    case sends
    /// Waits for a time and nothing else.
    case sleeps
    /// Any other system call.
    case calls
    /// The system call is over.
    case returns(result: Int64)
    /// The thread is about to end.
    case ends
  }
}
