import FirstlightModel

/// Code in input sections with several functions, which no order can separate.
package struct SharedSections: Sendable {
  package struct Share: Hashable, Sendable {
    /// The object file or archive.
    package var file: String
    package var functions: Int
    package var bytes: UInt64

    package init(file: String, functions: Int = 0, bytes: UInt64 = 0) {
      self.file = file
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// Input sections with several functions.
  package var sections = 0
  package var functions = 0
  package var bytes: UInt64 = 0
  /// Most bytes first.
  package var files: [Share] = []

  /// - Parameters:
  ///   - input: the input sections from the linker's map.
  ///   - functionStarts: start addresses of functions, rising.
  package init(_ input: [InputSection], functionStarts: [UInt64], code: [BinarySection]) {
    var shares: [TextBytes: Share] = [:]
    for section in input where section.name.begins(with: ".text") {
      let range = section.addresses
      guard code.contains(where: { Self.holds($0, range.lowerBound) }) else { continue }
      let count =
        functionStarts.partitioningIndex { $0 >= range.upperBound }
        - functionStarts.partitioningIndex { $0 >= range.lowerBound }
      guard count > 1 else { continue }
      sections += 1
      functions += count
      let size = range.upperBound - range.lowerBound
      bytes += size
      let file = Self.container(section.file)
      shares[file, default: Share(file: file)].functions += count
      shares[file]!.bytes += size
    }
    files = shares.values.sorted { ($1.bytes, $0.file) < ($0.bytes, $1.file) }
  }

  /// `libx.a` for `libx.a(member.o)`.
  private static func container(_ file: String) -> String {
    guard file.ends(with: ")"), let bracket = file.lastIndex(ofUTF8: "(") else { return file }
    return String(file[..<bracket])
  }

  private static func holds(_ section: BinarySection, _ address: UInt64) -> Bool {
    section.isExecutable && address >= section.address && address - section.address < section.size
  }
}
