#if Tracing
  import Firstlight
  import Synchronization
  import Tracing

  /// Makes marks and spans of Firstlight of what a program traces through swift-distributed-tracing.
  ///
  /// ```swift
  /// InstrumentationSystem.bootstrap(FirstlightTracer())
  /// ```
  /// Names and times are kept; attributes, links, kinds and what is carried from process to process
  /// are not. Events become marks, errors marks "SPAN failed: ERROR".
  public struct FirstlightTracer: Tracer {
    /// Makes a tracer; it has no state.
    public init() {}

    /// Begins a span of that name.
    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
      Span(operationName, context())
    }

    /// Does nothing: spans are in the recording when they end.
    public func forceFlush() {}

    /// Does nothing: a recording is of one process.
    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    /// Does nothing: a recording is of one process.
    public func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}

    /// A span that begins when it is made and ends when it is told so, whatever moment is named.
    public final class Span: Tracing.Span {
      /// As it was given.
      public let context: ServiceContext
      private let span: Firstlight.Span
      private let name: Mutex<String>

      fileprivate init(_ name: String, _ context: ServiceContext) {
        self.context = context
        self.name = Mutex(name)
        span = Firstlight.beginSpan(name)
      }

      /// What it is called from now on; the recording keeps the first name.
      public var operationName: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
      }

      /// Whether the process is being recorded.
      public var isRecording: Bool { Firstlight.isMarking }

      /// Dropped: a timeline has names and times.
      public var attributes: SpanAttributes {
        get { [:] }
        set {}
      }

      /// Sets a mark of the event's name.
      public func addEvent(_ event: SpanEvent) { Firstlight.mark(event.name) }

      /// Sets a mark with the error.
      public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
      ) {
        Firstlight.mark("\(operationName) failed: \(error)")
      }

      /// Does nothing.
      public func setStatus(_ status: SpanStatus) {}

      /// Does nothing.
      public func addLink(_ link: SpanLink) {}

      /// Ends the span; its first end counts.
      public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        span.end()
      }
    }
  }
#endif
