import DebugInfo
import FirstlightModel
import Glibc
import LinkerFormats
import Recording
import SymbolOrdering
import SystemSupport

/// A binary that is started to be measured.
package struct MeasuredBinary {
  /// "A" or "B" where two are compared.
  package let letter: String?
  /// As it was given.
  package let path: String
  package let facts: BinaryFacts
  /// Its pages, under its real path, as the kernel names it.
  package let cache: FileCache

  package var title: String { letter.map { "\($0) (\(path))" } ?? path }

  /// Fails with `.noInput` or `.data` if it is not an executable that we may run.
  package init(_ letter: String?, _ path: String) throws(Failure) {
    self.letter = letter
    self.path = path
    guard let real = AbsolutePath.resolved(path) else {
      throw Failure(.noInput, "\(path): cannot be opened (\(ErrorText.of(errno)))")
    }
    try FileStart.refuseScript(path)
    // The index maps the file, and what is mapped cannot be dropped: it goes before we measure.
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

/// An order set against the binary that was linked with it.
package enum LinkedOrder {
  /// - Parameter map: path of the linker's map, which knows what shares a section; nil: there is none.
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
        symbols: symbols, outputSections: symbols.map { image.sectionName(at: $0.address) },
        inputSections: inputs ?? []),
      pageSize: pageSize, inlined: { image.inlinedFunctions(among: Set($0)) })
    try image.checkUnchanged()
    return verification
  }
}

/// An order file that the user names.
package enum OrderNames {
  /// Its names. Fails with `.noInput`, and with `.data` if it holds none.
  package static func read(_ path: String) throws(Failure) -> [String] {
    let names = OrderFile.names(try TextFile.read(path))
    if names.isEmpty {
      throw Failure(
        .data, "\(path): contains no names", advice: "make an order with firstlight order FILE.flp")
    }
    return names
  }
}

/// The binary that an order is for.
package enum TargetBinary {
  /// Its function symbols. Fails with `.data` if it has none.
  package static func symbols(of path: String) throws(Failure) -> TargetSymbols {
    TargetSymbols(try list(of: try open(path)))
  }

  package static func open(_ path: String) throws(Failure) -> DebugImage {
    let image = try DebugFiles.image(of: path)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(path): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    return image
  }

  /// Fails with `.data` if its file was changed while it was read.
  package static func list(of image: DebugImage) throws(Failure) -> [TargetSymbol] {
    let symbols = image.functionSymbols.map {
      TargetSymbol(name: $0.name, address: $0.address, size: $0.size, isLocal: $0.isLocal)
    }
    try image.checkUnchanged()
    return symbols
  }
}
