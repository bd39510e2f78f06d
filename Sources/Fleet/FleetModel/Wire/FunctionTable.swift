import FirstlightModel

/// A build's functions, read once from its file, and other names of its code.
package struct FunctionTable: Sendable {
  package var build: Build
  /// Functions without guard, such as shared bodies of merged functions, sorted by address.
  package var bodies: [CodeBody]
  /// Whether the file's build id is the hash of its contents.
  package var hasProvenID = false

  package init(build: Build, bodies: [CodeBody]) {
    self.build = build
    self.bodies = bodies
  }

  package var key: BuildKey { BuildKey(buildID: build.buildID, recorder: build.recorder) }

  /// For guards whose hook call lies in a shared body: that body's name.
  /// - Parameter callers: the caller of each guard's first call.
  package func mergedBodies(callers: [UInt32: UInt64]) -> [UInt32: String] {
    guard build.recorder == .guards, build.guarded.count == build.guardCount else { return [:] }
    let entries = build.guarded.filter { $0.address != nil && !$0.name.isEmpty }.map {
      CodeBody(address: $0.address ?? 0, size: $0.size, name: $0.name)
    }
    let all = (entries + bodies).sorted { ($0.address, $0.size) < ($1.address, $1.size) }
    var result: [UInt32: String] = [:]
    for (guardIndex, caller) in callers where guardIndex < build.guardCount && caller > 0 {
      let function = build.functions[Int(guardIndex)]
      guard let entry = function.address else { continue }
      if caller > entry, caller &- entry <= function.size { continue }
      guard let body = Self.body(of: caller &- 1, in: all), body.name != function.name,
        !function.aliases.contains(body.name)
      else { continue }
      result[guardIndex] = body.name
    }
    return result
  }

  private static func body(of address: UInt64, in bodies: [CodeBody]) -> CodeBody? {
    let next = bodies.partitioningIndex { $0.address > address }
    guard next > 0 else { return nil }
    let body = bodies[next - 1]
    return address &- body.address < body.size ? body : nil
  }
}
