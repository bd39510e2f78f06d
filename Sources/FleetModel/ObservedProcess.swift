import FirstlightModel

/// A process as its host saw it, before it is counted.
public struct ObservedProcess: Sendable {
  /// An image it loaded.
  public struct Image: Sendable {
    public var build: BuildKey
    public var name: String
    public var isExecutable: Bool
    public var guardCount: Int

    public init(build: BuildKey, name: String, isExecutable: Bool, guardCount: Int) {
      self.build = build
      self.name = name
      self.isExecutable = isExecutable
      self.guardCount = guardCount
    }
  }

  public var run: String
  /// `ProcessID` as text.
  public var process: String
  public var forkedFrom: String?
  /// The first process of its family; itself if it was started by exec.
  public var root: String
  public var host: String
  public var startedAt: Double
  public var seconds: Double
  public var readyAfter: Double?
  public var losses: Losses
  /// Each build once.
  public var images: [Image]
  /// In order, with places in `images` as `build`.
  public var calls: [RecordedCall]
  /// For each of `calls` the link-time address behind its hook call; empty if unknown.
  public var callers: [UInt64]

  public init(
    run: String, process: String, forkedFrom: String?, root: String, host: String,
    startedAt: Double, seconds: Double, readyAfter: Double?, losses: Losses, images: [Image],
    calls: [RecordedCall], callers: [UInt64]
  ) {
    self.run = run
    self.process = process
    self.forkedFrom = forkedFrom
    self.root = root
    self.host = host
    self.startedAt = startedAt
    self.seconds = seconds
    self.readyAfter = readyAfter
    self.losses = losses
    self.images = images
    self.calls = calls
    self.callers = callers
  }

  /// Which image is the program: the executable, or if that has no guards, the largest.
  public var program: Int {
    images.indices.max {
      let (a, b) = (images[$0], images[$1])
      if a.isExecutable != b.isExecutable { return b.isExecutable }
      return a.guardCount != b.guardCount ? a.guardCount < b.guardCount : a.build > b.build
    } ?? 0
  }
}
