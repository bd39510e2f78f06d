internal import FirstlightRuntime

extension Firstlight {
  /// Whether marks set now are recorded.
  public static var isMarking: Bool { firstlight_is_marking() }

  /// Notes a moment: "config loaded".
  ///
  /// - Parameter name: at most 1,024 bytes of UTF-8, what is longer is cut off. Only put together if
  ///   the process is being recorded.
  @inlinable
  public static func mark(_ name: @autoclosure () -> String) {
    if isMarking { set(name()) }
  }

  /// Notes a moment under a name that is known when the program is built.
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

  /// Does some work and notes from when to when: a span. It ends however the work does.
  ///
  /// - Parameters:
  ///   - name: at most 1,024 bytes of UTF-8, as for a mark.
  ///   - work: runs in any case; the span has its duration.
  @inlinable
  public static func span<Result: ~Copyable, Failure: Error>(
    _ name: @autoclosure () -> String, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginSpan(name())
    defer { span.end() }
    return try work()
  }

  /// The same for work that waits.
  @inlinable
  public static func span<Result: ~Copyable, Failure: Error>(
    _ name: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let span = beginSpan(name())
    defer { span.end() }
    return try await work()
  }

  /// Begins a span whose end lies elsewhere.
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

  /// A span that has begun. One that never ends is kept as such.
  public struct Span: Sendable {
    @usableFromInline let number: UInt64

    @usableFromInline init(number: UInt64) { self.number = number }

    /// Ends the span, in whichever thread; its first end counts.
    @inlinable public func end() {
      if number != 0 { finish() }
    }

    @usableFromInline func finish() { firstlight_span_end(number) }
  }
}

/// Where an empty name begins: a string without bytes may have no address.
private nonisolated(unsafe) let empty = UnsafePointer<CChar>(bitPattern: 1)!
