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
    writer.number(build.functions.count)
    var lastGuard: UInt32 = 0
    for function in build.functions { encode(function, &lastGuard, &shared, to: &writer) }
    writer.number(table.bodies.count)
    for body in table.bodies {
      writer.number(body.address)
      writer.number(body.size)
      writer.text(body.name)
    }
  }

  /// What precedes a function's names: the kind of its code, and whether other fields follow.
  private enum Flag {
    static let code: UInt64 = 3
    static let guarded: UInt64 = 0
    static let unguarded: UInt64 = 1
    static let copies: UInt64 = 2
    static let copiesInUnknownHost: UInt64 = 3
    static let address: UInt64 = 4
    static let compilerGenerated: UInt64 = 8
    static let local: UInt64 = 16
    /// The readable name is that of the linker.
    static let plain: UInt64 = 32
    static let all: UInt64 = 63
  }

  private static func encode(
    _ function: Function, _ lastGuard: inout UInt32, _ shared: inout SharedTexts,
    to writer: inout ByteWriter
  ) {
    let code =
      switch function.code {
      case .guarded: Flag.guarded
      case .copies(_, let unknownHost): unknownHost ? Flag.copiesInUnknownHost : Flag.copies
      // A table of counters has a guard for each.
      case .unguarded, .counted, .dropped: Flag.unguarded
      }
    let isPlain = function.name == function.demangledName
    writer.number(
      code | (function.address == nil ? 0 : Flag.address)
        | (function.isCompilerGenerated ? Flag.compilerGenerated : 0)
        | (function.isLocal ? Flag.local : 0) | (isPlain ? Flag.plain : 0))
    switch function.code {
    case .guarded(let index):
      writer.number(UInt64(index &- lastGuard))
      lastGuard = index
    case .copies(let hosts, _): writer.rising(hosts)
    case .unguarded, .counted, .dropped: break
    }
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
    var build = Build(
      buildID: buildID, path: path, kind: kind == 1 ? .executable : .sharedLibrary,
      architecture: architecture, hasSymbols: flags & 1 != 0, hasDebugInfo: flags & 2 != 0,
      functions: [], entryGuards: [], guardCount: Int(guardCount),
      recorder: recorders[Int(flags >> 3 & 3)])
    build.isOptimised = flags & 4 != 0
    for _ in 0..<(try count(ofSize: 7, &reader, &rowsLeft)) {
      let function = try function(&reader, &texts, &rowsLeft, of: build)
      build.functions.append(function)
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

  /// - Parameter build: with the functions before this one.
  private static func function(
    _ reader: inout ByteReader, _ texts: inout [String], _ rowsLeft: inout Int, of build: Build
  ) throws(Failure) -> Function {
    let flags = try reader.number()
    guard flags <= Flag.all else { throw reader.failure("a function's flags are invalid") }
    let code = try code(flags & Flag.code, &reader, of: build)
    let address = flags & Flag.address != 0 ? try reader.number() : nil
    let size = try size(&reader, at: address ?? 0)
    let name = try reader.checkedText(limit: textLimit, called: "name")
    var function = Function(
      code: code, address: address, size: size, name: name,
      demangledName: flags & Flag.plain != 0
        ? name : try reader.checkedText(limit: textLimit, called: "name"),
      module: "", file: nil, line: 0, isCompilerGenerated: flags & Flag.compilerGenerated != 0,
      isLocal: flags & Flag.local != 0)
    for _ in 0..<(try count(ofSize: 1, &reader, &rowsLeft)) {
      function.aliases.append(try reader.checkedText(limit: textLimit, called: "alias"))
    }
    function.module = try shared(&reader, &texts) ?? ""
    function.file = try shared(&reader, &texts)
    function.line = try line(&reader)
    return function
  }

  private static func code(
    _ code: UInt64, _ reader: inout ByteReader, of build: Build
  ) throws(Failure) -> Function.Code {
    switch code {
    case Flag.guarded:
      let step = try reader.number()
      guard let last = build.functions.last else {
        guard step < UInt64(build.guardCount) else { throw reader.failure("no guard \(step)") }
        return .guarded(UInt32(step))
      }
      guard let lastGuard = last.guardIndex, step > 0, step < UInt64(build.guardCount),
        UInt64(lastGuard) + step < UInt64(build.guardCount)
      else {
        throw reader.failure("entry guards are not rising or not below \(build.guardCount)")
      }
      return .guarded(lastGuard + UInt32(step))
    case Flag.unguarded: return .unguarded
    default:
      return .copies(
        of: try reader.rising(below: build.guardCount, called: "hosts"),
        unknownHost: code == Flag.copiesInUnknownHost)
    }
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
