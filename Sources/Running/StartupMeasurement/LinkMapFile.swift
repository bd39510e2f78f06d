import FirstlightModel
import LinkerFormats
import SystemSupport

/// A linker's map named on the command line.
package enum LinkMapFile {
  /// Its input sections. Fails with `.noInput`, or with `.data` if it is no map.
  package static func read(_ path: String) throws(Failure) -> [InputSection] {
    let sections = LinkMap.inputSections(try TextFile.read(path))
    if sections.isEmpty {
      throw Failure(
        .data, "\(path): not a linker map", advice: "write one by linking with -Wl,-Map=FILE")
    }
    return sections
  }

  /// Whether an lld map is of this binary: their `.text` is in one place and of one size.
  ///
  /// - Throws: `Failure` of kind `noInput` or `data` if one of them cannot be read.
  package static func describes(_ path: String, _ binary: String) throws(Failure) -> Bool {
    let mapped = LinkMap.outputSection(".text", in: try TextFile.read(path))
    let section = try TargetBinary.open(binary).facts().section(".text")
    guard let mapped, let section else { return false }
    return mapped.lowerBound == section.address && UInt64(mapped.count) == section.size
  }
}
