import DebugInfo

extension BuildConditions {
  /// What holds for all of these binaries.
  ///
  /// - Parameter binaries: paths; those that can't be read say nothing.
  init(of binaries: [String]) {
    let images = binaries.compactMap { try? DebugImage(path: $0, debugDirectories: []) }
    let architectures = Set(images.map(\.architecture))
    let compilers = Set(images.map(\.swiftVersion)).subtracting([nil])
    self.init(
      architecture: architectures.count == 1
        ? architectures.first.map { $0 == "aarch64" ? "arm64" : $0 } : nil,
      compiler: compilers.count == 1 ? compilers.first.flatMap(\.self) : nil)
  }
}
