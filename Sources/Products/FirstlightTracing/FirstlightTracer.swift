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
    public init() {}

    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
      Span(operationName, context())
    }

    public func forceFlush() {}

    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    public func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}

    /// A span that begins when it is made and ends when it is told so, whatever moment is named.
    public final class Span: Tracing.Span {
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

      public var isRecording: Bool { Firstlight.isMarking }

      public var attributes: SpanAttributes {
        get { [:] }
        set {}
      }

      public func addEvent(_ event: SpanEvent) { Firstlight.mark(event.name) }

      public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
      ) {
        Firstlight.mark("\(operationName) failed: \(error)")
      }

      public func setStatus(_ status: SpanStatus) {}

      public func addLink(_ link: SpanLink) {}

      public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        span.end()
      }
    }
  }
#endif
