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
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    public var logLevel: Logger.Level = .info
    private let label: String

    public init(label: String) { self.label = label }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) { Firstlight.mark("\(label): \(event.message)") }
  }
#endif
