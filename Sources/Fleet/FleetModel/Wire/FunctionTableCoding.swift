import FirstlightModel

/// Encodes a function table, for the transfer from the process that read a build's file to the one
/// that keeps the table. The decoder treats the encoder as hostile.
enum FunctionTableCoding {
  /// Maximum size of a name or path in bytes.
  private static let textLimit = 1 << 20
  /// Maximum number of guards, the same as in a segment.
  private static let guardLimit = 1 << 26

  /// By the two bits that encode each.
  private static let recorders: [Recorder] = [.guards, .entryHooks, .breakpoints, .counters]

  static func encode(_ table: FunctionTable, to writer: inout ByteWriter) {
    let build = table.build
    var shared = SharedTexts()
    writer.text(build.buildID.description)
    writer.number(build.kind == .executable ? 1 : 0)
    writer.text(build.architecture)
    writer.number(
      (build.hasSymbols ? 1 : 0) | (build.hasDebugInfo ? 2 : 0) | (build.isOptimised ? 4 : 0)
        | (recorders.firstIndex(of: build.recorder) ?? 0) << 3
        | (table.hasProvenID ? 32 : 0))
    writer.number(build.guardCount)
    writer.rising(build.entryGuards)
    for function in build.functions { encode(function, &shared, to: &writer) }
    writer.number(build.unguarded.count)
    for function in build.unguarded { encode(function, &shared, to: &writer) }
    writer.number(build.inlined.count)
    for function in build.inlined { encode(function, &shared, to: &writer) }
    writer.number(table.bodies.count)
    for body in table.bodies {
      writer.number(body.address)
      writer.number(body.size)
      writer.text(body.name)
    }
  }

  private static func encode(
    _ function: Function, _ shared: inout SharedTexts, to writer: inout ByteWriter
  ) {
    let isPlain = function.name == function.demangledName
    writer.number(
      (function.address == nil ? 0 : 1) | (function.isCompilerGenerated ? 2 : 0)
        | (function.isLocal ? 4 : 0) | (isPlain ? 8 : 0))
    if let address = function.address { writer.number(address) }
    writer.number(function.size)
    writer.text(function.name)
    if !isPlain { writer.text(function.demangledName) }
    writer.number(function.aliases.count)
    for alias in function.aliases { writer.text(alias) }
    shared.encode(function.module, to: &writer)
    shared.encode(function.file, to: &writer)
    writer.number(function.line)
  }

  private static func encode(
    _ function: InlinedFunction, _ shared: inout SharedTexts, to writer: inout ByteWriter
  ) {
    writer.number(function.hasUnwatchedHost ? 1 : 0)
    writer.text(function.name)
    writer.text(function.demangledName)
    shared.encode(function.module, to: &writer)
    shared.encode(function.file, to: &writer)
    writer.number(function.line)
    writer.rising(function.hosts)
  }

  /// - Parameters:
  ///   - path: name of the build's file; the encoded data has none.
  ///   - rows: maximum total of functions, names and symbols.
  static func decode(
    _ reader: inout ByteReader, path: String, rows: Int
  ) throws(Failure) -> FunctionTable {
    var texts: [String] = []
    var rowsLeft = rows
    let idText = try reader.checkedText(limit: 200, called: "build id")
    guard let buildID = BuildID(idText) else { throw reader.failure("no build id") }
    let kind = try reader.number()
    let architecture = try reader.checkedText(limit: 32, called: "architecture")
    let flags = try reader.number()
    let guardCount = try reader.number()
    guard kind <= 1, flags < 64, ["x86_64", "aarch64"].contains(architecture),
      guardCount <= UInt64(guardLimit)
    else { throw reader.failure("its header is invalid") }
    let entryGuards = try reader.rising(below: Int(guardCount), called: "entry guards")
    try take(entryGuards.count, of: &rowsLeft, reader)
    var functions: [Function] = []
    functions.reserveCapacity(entryGuards.count)
    for _ in entryGuards { functions.append(try function(&reader, &texts, &rowsLeft)) }
    var build = Build(
      buildID: buildID, path: path, kind: kind == 1 ? .executable : .sharedLibrary,
      architecture: architecture, hasSymbols: flags & 1 != 0, hasDebugInfo: flags & 2 != 0,
      functions: functions, entryGuards: entryGuards, guardCount: Int(guardCount),
      recorder: recorders[Int(flags >> 3 & 3)])
    build.isOptimised = flags & 4 != 0
    for _ in 0..<(try count(ofSize: 7, &reader, &rowsLeft)) {
      build.unguarded.append(try function(&reader, &texts, &rowsLeft))
    }
    for _ in 0..<(try count(ofSize: 8, &reader, &rowsLeft)) {
      build.inlined.append(try inlined(&reader, &texts, guardCount: build.guardCount))
    }
    var bodies: [CodeBody] = []
    for _ in 0..<(try count(ofSize: 3, &reader, &rowsLeft)) {
      let address = try reader.number()
      bodies.append(
        CodeBody(
          address: address, size: try size(&reader, at: address),
          name: try reader.checkedText(limit: textLimit, called: "name")))
      guard bodies.count < 2 || bodies[bodies.count - 2].address <= address else {
        throw reader.failure("symbols are not sorted")
      }
    }
    var table = FunctionTable(build: build, bodies: bodies)
    table.hasProvenID = flags & 32 != 0
    return table
  }

  private static func function(
    _ reader: inout ByteReader, _ texts: inout [String], _ rowsLeft: inout Int
  ) throws(Failure) -> Function {
    let flags = try reader.number()
    guard flags < 16 else { throw reader.failure("a function's flags are invalid") }
    let address = flags & 1 != 0 ? try reader.number() : nil
    let size = try size(&reader, at: address ?? 0)
    let name = try reader.checkedText(limit: textLimit, called: "name")
    var function = Function(
      address: address, size: size, name: name,
      demangledName: flags & 8 != 0
        ? name : try reader.checkedText(limit: textLimit, called: "name"),
      module: "", file: nil, line: 0, isCompilerGenerated: flags & 2 != 0, isLocal: flags & 4 != 0)
    for _ in 0..<(try count(ofSize: 1, &reader, &rowsLeft)) {
      function.aliases.append(try reader.checkedText(limit: textLimit, called: "alias"))
    }
    function.module = try shared(&reader, &texts) ?? ""
    function.file = try shared(&reader, &texts)
    function.line = try line(&reader)
    return function
  }

  private static func inlined(
    _ reader: inout ByteReader, _ texts: inout [String], guardCount: Int
  ) throws(Failure) -> InlinedFunction {
    let flags = try reader.number()
    guard flags <= 1 else { throw reader.failure("a function's flags are invalid") }
    return InlinedFunction(
      name: try reader.checkedText(limit: textLimit, called: "name"),
      demangledName: try reader.checkedText(limit: textLimit, called: "name"),
      module: try shared(&reader, &texts) ?? "", file: try shared(&reader, &texts),
      line: try line(&reader), hosts: try reader.rising(below: guardCount, called: "hosts"),
      hasUnwatchedHost: flags == 1)
  }

  private static func size(
    _ reader: inout ByteReader, at address: UInt64
  ) throws(Failure) -> UInt64 {
    let size = try reader.number()
    guard !address.addingReportingOverflow(size).overflow else {
      throw reader.failure("a function ends beyond all addresses")
    }
    return size
  }

  private static func line(_ reader: inout ByteReader) throws(Failure) -> Int {
    let line = try reader.number()
    guard line <= UInt64(Int32.max) else { throw reader.failure("\(line) is not a line number") }
    return Int(line)
  }

  /// A number of rows that does not exceed the rest of the limit.
  private static func count(
    ofSize size: Int, _ reader: inout ByteReader, _ rowsLeft: inout Int
  ) throws(Failure) -> Int {
    let count = try reader.count(ofSize: size, called: "rows")
    try take(count, of: &rowsLeft, reader)
    return count
  }

  private static func take(
    _ count: Int, of rowsLeft: inout Int, _ reader: ByteReader
  ) throws(Failure) {
    rowsLeft -= count
    guard rowsLeft >= 0 else { throw reader.failure("more functions than such a file can have") }
  }

  /// Texts that many functions share: files and modules. A text is encoded as 0 if it is missing,
  /// as the number of an earlier one, or as the next number followed by the text.
  private struct SharedTexts {
    private var places: [TextBytes: Int] = [:]

    mutating func encode(_ text: String?, to writer: inout ByteWriter) {
      guard let text else { return writer.number(0) }
      if let place = places[text] { return writer.number(place) }
      places[text] = places.count + 1
      writer.number(places.count)
      writer.text(text)
    }
  }

  private static func shared(
    _ reader: inout ByteReader, _ texts: inout [String]
  ) throws(Failure) -> String? {
    let place = try reader.number()
    if place == 0 { return nil }
    if place <= UInt64(texts.count) { return texts[Int(place) - 1] }
    guard place == UInt64(texts.count) + 1 else { throw reader.failure("no text \(place)") }
    texts.append(try reader.checkedText(limit: textLimit, called: "path or module"))
    return texts[texts.count - 1]
  }
}

/// A function symbol's place.
package struct CodeBody: Hashable, Sendable {
  /// Link-time address.
  package var address: UInt64
  /// Size in bytes.
  package var size: UInt64
  /// The linker's name.
  package var name: String

  package init(address: UInt64, size: UInt64, name: String) {
    self.address = address
    self.size = size
    self.name = name
  }
}
