internal import FirstlightRuntime

extension Firstlight {
  /// Whether marks set now are recorded.
  public static var isMarking: Bool { firstlight_is_marking() }

  /// Marks a point in time: "config loaded".
  ///
  /// - Parameter name: at most 1,024 bytes of UTF-8; a longer name is truncated. Evaluated only if the
  ///   process is being recorded.
  @inlinable
  public static func mark(_ name: @autoclosure () -> String) {
    if isMarking { set(name()) }
  }

  /// Marks a point in time, with a constant name.
  @inlinable
  public static func mark(_ name: StaticString) {
    if isMarking { set(name.description) }
  }

  @usableFromInline
  static func set(_ name: consuming String) {
    name.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        firstlight_mark_sized($0.baseAddress ?? empty, $0.count)
      }
    }
  }

  /// Records a span over some work. The span also ends if the work throws.
  ///
  /// - Parameters:
  ///   - name: at most 1,024 bytes of UTF-8, as for a mark.
  ///   - work: runs whether or not the process is being recorded.
  @inlinable
  public static func span<Result: ~Copyable, Failure: Error>(
    _ name: @autoclosure () -> String, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginSpan(name())
    defer { span.end() }
    return try work()
  }

  /// Records a span over asynchronous work.
  @inlinable
  public static func span<Result: ~Copyable, Failure: Error>(
    _ name: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let span = beginSpan(name())
    defer { span.end() }
    return try await work()
  }

  /// Begins a span that other code ends with ``Span/end()``.
  @inlinable
  public static func beginSpan(_ name: @autoclosure () -> String) -> Span {
    isMarking ? begin(name()) : Span(number: 0)
  }

  @usableFromInline
  static func begin(_ name: consuming String) -> Span {
    Span(
      number: name.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          firstlight_span_begin_sized($0.baseAddress ?? empty, $0.count)
        }
      })
  }

  /// A span that has begun. A span that never ends is recorded without an end.
  public struct Span: Sendable {
    @usableFromInline let number: UInt64

    @usableFromInline init(number: UInt64) { self.number = number }

    /// Ends the span, from any thread. Only the first call counts.
    @inlinable public func end() {
      if number != 0 { finish() }
    }

    @usableFromInline func finish() { firstlight_span_end(number) }
  }
}

/// Address of an empty name: a string without bytes may have none.
private nonisolated(unsafe) let empty = UnsafePointer<CChar>(bitPattern: 1)!
