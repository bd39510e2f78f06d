/// The protocol conformance records of a binary with Swift code (`swift5_protocol_conformances`).
package struct ConformanceFacts: Hashable, Sendable {
  package var records = 0
  /// 4 KiB pages of the records, of the descriptors that they lead to, and of pointers to protocols
  /// (records of other object files): what a scan reads.
  package var recordPages = 0
  package var descriptorPages = 0
  package var pointerPages = 0
  /// Records by the module with the conformance. Records without a symbol are missing.
  package var modules: [TextBytes: Int] = [:]

  /// Whether the program has code that answers look-ups from an index (`CSupport/FirstlightConformances`).
  package var isIndexed = false

  package init() {}

  package var pages: Int { recordPages + descriptorPages + pointerPages }
}
