#if Logging
  import Firstlight
  import Logging

  /// Records each message of swift-log as a mark: "LABEL: MESSAGE".
  ///
  /// ```swift
  /// LoggingSystem.bootstrap { label in
  ///   MultiplexLogHandler([StreamLogHandler.standardError(label: label), FirstlightLogHandler(label: label)])
  /// }
  /// ```
  /// Metadata is not recorded. In a program that is not being recorded, a message costs almost nothing.
  public struct FirstlightLogHandler: LogHandler {
    /// Metadata of the logger; not recorded.
    public var metadata: Logger.Metadata = [:]
    /// Metadata provider of the logger; not used.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is recorded.
    public var logLevel: Logger.Level = .info
    private let label: String

    /// Creates a handler for a logger; each mark begins with its label.
    public init(label: String) { self.label = label }

    /// Metadata of the logger, by key; not recorded.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    /// Records the message as a mark.
    public func log(event: LogEvent) { Firstlight.mark("\(label): \(event.message)") }
  }
#endif
