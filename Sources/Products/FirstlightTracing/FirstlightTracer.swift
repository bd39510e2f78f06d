#if Tracing
  import Firstlight
  import Synchronization
  import Tracing

  /// Records the spans of swift-distributed-tracing as Firstlight spans and marks.
  ///
  /// ```swift
  /// InstrumentationSystem.bootstrap(FirstlightTracer())
  /// ```
  /// Names and times are recorded; attributes, links, kinds and context propagation are not. Events
  /// become marks, and errors become marks "SPAN failed: ERROR".
  public struct FirstlightTracer: Tracer {
    /// Creates a tracer; it has no state.
    public init() {}

    /// Begins a span with the operation's name.
    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
      Span(operationName, context())
    }

    /// Does nothing: a span is recorded when it ends.
    public func forceFlush() {}

    /// Does nothing: a recording is of one process.
    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    /// Does nothing: a recording is of one process.
    public func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}

    /// A span from its creation to the call of `end`; explicit instants are ignored.
    public final class Span: Tracing.Span {
      /// The context passed to `startSpan`.
      public let context: ServiceContext
      private let span: Firstlight.Span
      private let name: Mutex<String>

      fileprivate init(_ name: String, _ context: ServiceContext) {
        self.context = context
        self.name = Mutex(name)
        span = Firstlight.beginSpan(name)
      }

      /// The current name; the recording keeps the first one.
      public var operationName: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
      }

      /// Whether the process is being recorded.
      public var isRecording: Bool { Firstlight.isMarking }

      /// Always empty: attributes are not recorded.
      public var attributes: SpanAttributes {
        get { [:] }
        set {}
      }

      /// Records a mark with the event's name.
      public func addEvent(_ event: SpanEvent) { Firstlight.mark(event.name) }

      /// Records a mark with the error.
      public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
      ) {
        Firstlight.mark("\(operationName) failed: \(error)")
      }

      /// Does nothing.
      public func setStatus(_ status: SpanStatus) {}

      /// Does nothing.
      public func addLink(_ link: SpanLink) {}

      /// Ends the span. Only the first call counts.
      public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        span.end()
      }
    }
  }
#endif
