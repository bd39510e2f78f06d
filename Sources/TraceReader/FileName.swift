import FirstlightModel

/// The name of a file that a recording process writes.
///
/// `<pid>-<start>-<key>.process`, `.marks` or `<pid>-<start>-<key>-<n>.segment`; see
/// `firstlight_abi.h`.
struct FileName {
  enum Kind: Equatable {
    case process
    case marks
    case segment(UInt32)
  }

  /// What the name says of the process. Two of different pid namespaces have different keys, so the
  /// name does without the namespace, which is 0 here.
  let process: ProcessID
  let kind: Kind

  /// Nil for every name the runtime does not write, spelt exactly as it writes it.
  init?(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let fields = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count >= 3, fields[2].utf8.count == 16, let pid = UInt32(fields[0]),
      let start = UInt64(fields[1]), let key = UInt64(fields[2], radix: 16)
    else { return nil }
    process = ProcessID(pid: pid, namespace: 0, start: start, key: key)
    switch (parts[1], fields.count) {
    case ("process", 3):
      kind = .process
    case ("marks", 3):
      kind = .marks
    case ("segment", 4):
      guard let number = UInt32(fields[3]) else { return nil }
      kind = .segment(number)
    default:
      return nil
    }
    // Leading zeros, signs and capitals have other spellings: one process, one set of names.
    guard name == Self.name(of: process, kind) else { return nil }
  }

  static func name(of process: ProcessID, _ kind: Kind) -> String {
    switch kind {
    case .process: "\(process).process"
    case .marks: "\(process).marks"
    case .segment(let number): "\(process)-\(number).segment"
    }
  }
}
