import FirstlightModel
import LinkerFormats
import SystemSupport

/// A linker's map that somebody names on the command line.
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
}
