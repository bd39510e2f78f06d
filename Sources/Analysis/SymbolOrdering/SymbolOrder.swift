import FirstlightModel

/// A list of linker symbol names in the order in which the linker is to lay them out.
public struct SymbolOrder: Sendable {
  /// The build whose functions these are.
  public var buildID: BuildID
  /// Where the build's file was when it was recorded.
  public var path: String
  public var strategy: OrderingStrategy
  public var code: CalledCode
  /// Indices into `code.units`, first to lie first.
  public var units: [Int32]

  /// - Parameter build: index into the profile's builds; `code` is made of it.
  public init(
    of code: CalledCode, build: Int, in profile: Profile,
    strategy: OrderingStrategy = .firstCall, pageSize: UInt32 = 4096
  ) {
    let recorded = profile.builds[build].build
    buildID = recorded.buildID
    path = recorded.path
    self.strategy = strategy
    self.code = code
    units = code.order(strategy, pageSize: pageSize)
  }

  /// The names to tell the linker, none twice.
  public var names: [String] {
    var listed: Set<String> = []
    return units.flatMap { code.units[Int($0)].names }.filter { listed.insert($0).inserted }
  }
}
