import Glibc

/// Texts for bytes that the kernel takes and gives: arguments, variables of the environment, names of files. They may be
/// no UTF-8, which `String(cString:)` repairs to another name.
///
/// A byte that is no UTF-8 becomes a scalar of its own at the end of Unicode's last private area. So that each text
/// stands for one sequence of bytes, the UTF-8 of these scalars counts as such bytes too.
extension String {
  /// The text of the system's bytes.
  package init(systemBytes bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.standsForBytes {
      self = text
      return
    }
    self.init()
    var rest = bytes[...]
    while !rest.isEmpty {
      var source = rest.makeIterator()
      var parser = Unicode.UTF8.ForwardParser()
      let wild: Int
      switch parser.parseScalar(from: &source) {
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        wild = scalar.wildByte == nil ? 0 : encoded.count
        if wild == 0 {
          unicodeScalars.append(scalar)
          rest = rest.dropFirst(encoded.count)
        }
      case .error(let length): wild = length
      case .emptyInput: return
      }
      unicodeScalars.append(contentsOf: rest.prefix(wild).map(Unicode.Scalar.init(wildByte:)))
      rest = rest.dropFirst(wild)
    }
  }

  package init(systemText text: UnsafePointer<CChar>) {
    self.init(systemBytes: UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// The bytes that the text stands for.
  package var systemBytes: [UInt8] {
    guard standsForBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      scalar.wildByte.map { [$0] } ?? Array(UTF8.encode(scalar)!)
    }
  }

  /// Calls `body` with these bytes and a zero behind them.
  package func withSystemText<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows
    -> Result
  {
    guard standsForBytes else { return try withCString(body) }
    return try (systemBytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      try body($0.baseAddress!)
    }
  }

  private var standsForBytes: Bool {
    // Nearly all texts lack the first byte of such a scalar.
    utf8.contains(0xf4) && unicodeScalars.contains { $0.wildByte != nil }
  }
}

extension Unicode.Scalar {
  private static let firstWild: UInt32 = 0x10_ff00

  fileprivate init(wildByte: UInt8) { self.init(Self.firstWild + UInt32(wildByte))! }

  /// The byte beyond ASCII that it stands for, if it stands for one.
  var wildByte: UInt8? {
    value >= Self.firstWild + 0x80 ? UInt8(value - Self.firstWild) : nil
  }
}

extension CommandLine {
  /// The arguments, with the program's name first. Those of the standard library are repaired.
  package static var words: [String] {
    (0..<Int(argc)).compactMap { unsafeArgv[$0].map { String(systemText: $0) } }
  }
}
