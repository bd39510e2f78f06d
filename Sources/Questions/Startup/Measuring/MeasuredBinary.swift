import DebugInfo
import FirstlightModel
import Glibc
import Ordering
import Recording
import SystemSupport

/// A binary to start and measure.
package struct MeasuredBinary {
  /// "A" or "B" in a comparison of two.
  package let letter: String?
  /// The user's path.
  package let path: String
  package let facts: BinaryFacts
  /// Its pages, under the real path, which the kernel uses.
  package let cache: FileCache

  package var title: String { letter.map { "\($0) (\(path))" } ?? path }

  /// Throws `.noInput` or `.data` if the path is not an executable that this user may run.
  package init(_ letter: String?, _ path: String) throws(Failure) {
    self.letter = letter
    self.path = path
    guard let real = AbsolutePath.resolved(path) else {
      throw Failure(.noInput, "\(path): cannot be opened (\(ErrorText.of(errno)))")
    }
    try FileStart.refuseScript(path)
    // Indexing maps the file, and mapped pages cannot be dropped. The mapping is gone before the measurement.
    facts = try DebugImage(path: path, debugDirectories: []).facts()
    guard facts.kind == .executable else {
      throw Failure(
        .data, "\(path): is a shared library", advice: "use the program that loads it")
    }
    guard access(path, X_OK) == 0 else {
      throw Failure(.data, "\(path): not executable", advice: "run chmod +x \(path)")
    }
    cache = try FileCache(real)
  }
}

/// Reads a linker's map from the command line.
package enum LinkMapFile {
  /// Its input sections. Throws `.noInput`, or `.data` if the file is no map.
  package static func read(_ path: String) throws(Failure) -> [InputSection] {
    let sections = LinkMap.inputSections(try TextFile.argument(path))
    if sections.isEmpty {
      throw Failure(
        .data, "\(path): not a linker map", advice: "write one by linking with -Wl,-Map=FILE")
    }
    return sections
  }

  /// Whether an lld map belongs to this binary: their `.text` sections have the same place and size.
  ///
  /// - Throws: `Failure` of kind `noInput` or `data` if one of the files cannot be read.
  package static func describes(_ path: String, _ binary: String) throws(Failure) -> Bool {
    let mapped = LinkMap.outputSection(".text", in: try TextFile.argument(path))
    let section = try TargetBinary.open(binary).facts().section(".text")
    guard let mapped, let section else { return false }
    return mapped.lowerBound == section.address && UInt64(mapped.count) == section.size
  }
}

/// Compares an order with the binary that was linked with it.
package enum LinkedOrder {
  /// - Parameter map: path of the linker's map, which shows functions that share a section; nil: none.
  /// - Throws: `Failure` of kind `noInput` or `data` if the binary or the map cannot be read.
  package static func verify(
    _ names: [String], in binary: String, map: String?, pageSize: UInt32
  ) throws(Failure) -> OrderVerification {
    let image = try TargetBinary.open(binary)
    let symbols = try TargetBinary.list(of: image)
    let inputs = try map.map { path throws(Failure) in try LinkMapFile.read(path) }
    let verification = OrderVerification(
      of: names,
      in: LinkedBinary(
        symbols: symbols, outputSections: symbols.map { image.elf.sectionName(at: $0.address) },
        inputSections: inputs ?? []),
      pageSize: pageSize, inlined: { image.source.inlinedFunctions(among: Set(texts: $0)) })
    try image.checkUnchanged()
    return verification
  }
}

/// Reads an order file from the command line.
package enum OrderNames {
  /// Its names. Throws `.noInput`, or `.data` if the file has none or is no text.
  package static func read(_ path: String) throws(Failure) -> [String] {
    let text = try TextFile.argument(path)
    let names = text.utf8.contains(0) ? [] : OrderFile.names(text)
    if names.isEmpty {
      throw Failure(
        .data, "\(path): contains no names", advice: "make an order with firstlight order FILE.flp")
    }
    return names
  }
}
