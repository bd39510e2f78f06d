import DebugInfo
import FirstlightModel
import FleetModel

extension FunctionTable {
  /// The functions of a build with guards, and what else names its code.
  /// - Throws: `.data` if it has no guards.
  package init(of image: DebugImage, recordedPath: String) throws(Failure) {
    var build = try image.build(recordedPath: recordedPath)
    // The runtime's own debug information says nothing of the program.
    build.hasDebugInfo = build.functions.contains { $0.file != nil || $0.isCompilerGenerated }
    let entries = Set(build.functions.compactMap(\.address))
    let bodies = image.functionSymbols.filter { !entries.contains($0.address) }.map {
      CodeBody(address: $0.address, size: $0.size, name: $0.name)
    }
    self.init(build: build, bodies: bodies)
  }
}
