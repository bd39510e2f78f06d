#if Logging
  import Firstlight
  import Logging

  /// Makes a mark of each line that a program logs through swift-log: "LABEL: MESSAGE".
  ///
  /// ```swift
  /// LoggingSystem.bootstrap { label in
  ///   MultiplexLogHandler([StreamLogHandler.standardError(label: label), FirstlightLogHandler(label: label)])
  /// }
  /// ```
  /// Metadata is not kept. In a program that is not being recorded a line costs next to nothing.
  public struct FirstlightLogHandler: LogHandler {
    /// Kept for swift-log, and not in marks.
    public var metadata: Logger.Metadata = [:]
    /// Kept for swift-log, and not asked.
    public var metadataProvider: Logger.MetadataProvider?
    /// Messages below it make no mark.
    public var logLevel: Logger.Level = .info
    private let label: String

    /// Makes a handler for a logger; its label begins each mark.
    public init(label: String) { self.label = label }

    /// A logger's own metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    /// Sets the mark.
    public func log(event: LogEvent) { Firstlight.mark("\(label): \(event.message)") }
  }
#endif
