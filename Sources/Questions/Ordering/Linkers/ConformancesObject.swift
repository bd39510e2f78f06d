/// The object file with which a Swift program answers conformance look-ups from an index that it makes.
package enum ConformancesObject {
  /// Functions of Swift's runtime whose calls the object file takes over.
  private static let wrapped = [
    "swift_conformsToProtocol", "swift_conformsToProtocol2", "swift_conformsToProtocolCommon",
    "swift_conformsToProtocolWithExecutionContext",
  ]

  /// The linker's flags with which an object file, or the tools' archive with it, takes over the runtime's calls.
  package static func linkerWords(_ path: String) -> [String] {
    // Linkers that read archives once must find it before they have read the calls.
    ["--undefined=__wrap_\(wrapped[0])"] + wrapped.map { "--wrap=\($0)" } + [path]
  }

  /// - Parameter archive: the bytes of libfirstlight_conformances.a.
  /// - Returns: nil if the archive has no object file.
  package static func bytes(archive: [UInt8]) -> [UInt8]? { ToolArchive.object(in: archive) }
}
