import FirstlightModel
import SystemSupport

/// The result of reading a build's file, as reported by the separate process that read it.
///
/// Neither the file nor the reading process is trusted: `init(decoding:)` checks everything.
package struct BuildReading: Sendable {
  package var result: Result<FunctionTable, Failure>
  /// The functions that the build's compiler counts; nil if it counts none.
  package var counted: FunctionTable?
  /// The debug file that would improve the result; nil if none would.
  package var wantedDebugFile: DebugFileNames?

  /// The names of a separate debug file.
  package struct DebugFileNames: Hashable, Sendable {
    package var buildID: BuildID?
    /// The file name, without folder.
    package var link: String?

    package init(buildID: BuildID?, link: String?) {
      self.buildID = buildID
      self.link = link
    }
  }

  package init(
    result: Result<FunctionTable, Failure>, counted: FunctionTable? = nil,
    wantedDebugFile: DebugFileNames? = nil
  ) {
    self.result = result
    self.counted = counted
    self.wantedDebugFile = wantedDebugFile
  }

  /// First bytes of the format; the last byte is the version.
  private static let magic = Array("FLR2".utf8)

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes = Self.magic
    if let names = wantedDebugFile {
      writer.number(1)
      writer.text(names.buildID?.description ?? "")
      writer.text(names.link ?? "")
    } else {
      writer.number(0)
    }
    switch result {
    case .failure(let failure):
      writer.number(0)
      writer.text(Self.sentence(failure.problem, limit: 1000))
      writer.text(Self.sentence(failure.advice, limit: 1000))
    case .success(let table):
      writer.number(1)
      FunctionTableCoding.encode(table, to: &writer)
      writer.number(counted == nil ? 0 : 1)
      if let counted { FunctionTableCoding.encode(counted, to: &writer) }
    }
    return writer.bytes
  }

  /// Maximum size of a reason in bytes: a thousand characters of any kind.
  private static let sentenceLimit = 4000

  /// Makes untrusted text safe for one displayed line: truncated, and without control characters.
  /// - Parameter limit: maximum number of characters (Unicode scalars).
  package static func sentence(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit) {
      result.append(scalar.properties.generalCategory == .control ? "?" : scalar)
    }
    return String(result)
  }

  /// - Parameters:
  ///   - path: name of the build's file.
  ///   - rows: maximum number of functions, names and symbols for a file of this size.
  /// - Throws: `.data` if the bytes are not exactly one reading, or contain impossible data.
  package init(decoding bytes: [UInt8], path: String, rows: Int) throws(Failure) {
    guard bytes.starts(with: Self.magic) else { throw Failure(.data, "answer: not one") }
    self = try ByteReader.read(bytes, from: Self.magic.count, whole: "answer") {
      reader throws(Failure) in try Self(&reader, path: path, rows: rows)
    }
  }

  private init(_ reader: inout ByteReader, path: String, rows: Int) throws(Failure) {
    switch try reader.number() {
    case 0: wantedDebugFile = nil
    case 1: wantedDebugFile = try Self.names(&reader)
    default: throw reader.failure("its flag is neither 0 nor 1")
    }
    switch try reader.number() {
    case 0:
      result = .failure(
        Failure(
          .data, try Self.sentence(&reader), advice: try Self.sentence(&reader)))
    case 1:
      let table = try FunctionTableCoding.decode(&reader, path: path, rows: rows)
      result = .success(table)
      guard try reader.number() > 0 else { break }
      let counted = try FunctionTableCoding.decode(&reader, path: path, rows: rows)
      guard counted.key == table.key.counters else {
        throw reader.failure("counters of another build")
      }
      self.counted = counted
    default: throw reader.failure("neither a failure nor a table")
    }
  }

  private static func names(_ reader: inout ByteReader) throws(Failure) -> DebugFileNames {
    let id = try reader.checkedText(limit: 200, called: "build id")
    let link = try reader.checkedText(limit: 255, called: "debug link")
    guard !link.containsUTF8("/"), link != ".", link != ".." else {
      throw reader.failure("a debug link leads elsewhere")
    }
    return DebugFileNames(buildID: BuildID(id), link: link.isEmpty ? nil : link)
  }

  /// Text for display, on one line.
  private static func sentence(_ reader: inout ByteReader) throws(Failure) -> String {
    let text = try reader.checkedText(limit: sentenceLimit, called: "reason")
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw reader.failure("a reason has control characters")
    }
    return text
  }
}

/// Identifies the function table that guard indices refer to.
package struct BuildKey: Hashable, Sendable, Comparable {
  package var buildID: BuildID
  package var recorder: Recorder

  package init(buildID: BuildID, recorder: Recorder = .guards) {
    self.buildID = buildID
    self.recorder = recorder
  }

  /// The key of the build's counters; nil for recorders without them.
  package var counters: BuildKey? {
    switch recorder {
    case .guards, .entryHooks: BuildKey(buildID: buildID, recorder: .counters)
    case .breakpoints, .counters: nil
    }
  }

  package static func < (a: BuildKey, b: BuildKey) -> Bool {
    (a.buildID.description, a.recorder.rawValue) < (b.buildID.description, b.recorder.rawValue)
  }
}

/// As a key of a JSON object: the build id and the recorder, `4f2a91c0/guards`.
extension BuildKey: Codable, CodingKeyRepresentable {
  package var codingKey: any CodingKey {
    FieldName(stringValue: "\(buildID)/\(recorder.rawValue)")
  }

  package init?(codingKey: some CodingKey) {
    let parts = codingKey.stringValue.split(at: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2, let id = BuildID(parts[0]), let recorder = Recorder(rawValue: parts[1])
    else { return nil }
    self.init(buildID: id, recorder: recorder)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = FieldName(stringValue: try container.decode(String.self))
    guard let key = BuildKey(codingKey: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a build")
    }
    self = key
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(codingKey.stringValue)
  }
}

/// The key of sums: one build on one day with one set of labels.
package struct SeriesKey: Hashable, Sendable {
  package var build: BuildKey
  package var day: FleetDay
  package var labels: FleetLabels

  package init(build: BuildKey, day: FleetDay, labels: FleetLabels) {
    self.build = build
    self.day = day
    self.labels = labels
  }
}

extension Recorder {
  /// The recorder's number in batches.
  var number: Int {
    switch self {
    case .guards: 0
    case .breakpoints: 1
    case .entryHooks: 2
    case .counters: 3
    }
  }

  init?(number: UInt64) {
    guard let known = Self.allCases.first(where: { $0.number == Int(clamping: number) }) else {
      return nil
    }
    self = known
  }
}
