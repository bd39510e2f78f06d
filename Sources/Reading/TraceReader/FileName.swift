import FirstlightModel

/// The name of a recording process's file.
///
/// `<pid>-<start>-<key>.process`, `.marks`, `<pid>-<start>-<key>-<n>.segment` or `.counters`; see
/// `firstlight_abi.h`.
struct FileName {
  enum Kind: Equatable {
    case process
    case marks
    case segment(UInt32)
    case counters(UInt32)
  }

  /// The process, except its namespace, which is 0 here: the name omits it, since processes of
  /// different pid namespaces have different keys.
  let process: ProcessID
  let kind: Kind

  /// Nil unless the name is spelt exactly as the runtime writes it: each process has one set of
  /// names.
  init?(_ name: String) {
    var rest = name.utf8[...]
    guard let pid = Self.decimal(&rest).flatMap(UInt32.init(exactly:)), Self.skip("-", &rest),
      let start = Self.decimal(&rest), Self.skip("-", &rest), let key = Self.key(&rest)
    else { return nil }
    process = ProcessID(pid: pid, namespace: 0, start: start, key: key)
    if Self.skip("-", &rest) {
      guard let number = Self.decimal(&rest).flatMap(UInt32.init(exactly:)) else { return nil }
      if rest.elementsEqual(".segment".utf8) {
        kind = .segment(number)
      } else if rest.elementsEqual(".counters".utf8) {
        kind = .counters(number)
      } else {
        return nil
      }
    } else if rest.elementsEqual(".process".utf8) {
      kind = .process
    } else if rest.elementsEqual(".marks".utf8) {
      kind = .marks
    } else {
      return nil
    }
  }

  private static func skip(_ letter: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == UInt8(ascii: letter) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads a number from the front, without sign or leading zeros.
  private static func decimal(_ rest: inout Substring.UTF8View) -> UInt64? {
    guard rest.first != UInt8(ascii: "0") else {
      rest.removeFirst()
      return 0
    }
    var value: UInt64?
    while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit < 10 {
      let (tens, isTooLong) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = tens.addingReportingOverflow(UInt64(digit))
      if isTooLong || isTooLarge { return nil }
      value = sum
      rest.removeFirst()
    }
    return value
  }

  /// Reads 16 small hex digits from the front.
  private static func key(_ rest: inout Substring.UTF8View) -> UInt64? {
    var key: UInt64 = 0
    for _ in 0..<16 {
      guard let letter = rest.popFirst() else { return nil }
      switch letter {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): key = key << 4 | UInt64(letter & 15)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): key = key << 4 | UInt64(letter & 15 + 9)
      default: return nil
      }
    }
    return key
  }

  /// The process of a file that is still being created; nil for any other name.
  ///
  /// `.<pid>-<start>-<key>-<n>-<thread>`: see `fl_file_make`.
  static func process(ofUnfinished name: String) -> ProcessID? {
    let parts = name.split(at: "-", omittingEmpty: false)
    guard name.begins(with: "."), parts.count == 5, UInt32(parts[3]) != nil, UInt32(parts[4]) != nil
    else { return nil }
    return FileName(parts[0].dropFirst() + "-" + parts[1] + "-" + parts[2] + ".process")?.process
  }

  static func name(of process: ProcessID, _ kind: Kind) -> String {
    switch kind {
    case .process: "\(process).process"
    case .marks: "\(process).marks"
    case .segment(let number): "\(process)-\(number).segment"
    case .counters(let number): "\(process)-\(number).counters"
    }
  }
}
