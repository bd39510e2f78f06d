import DebugInfo

/// The answers of `firstlight symbolize`, as text like llvm-symbolizer's or as one JSON object a
/// line.
struct SymbolizedText {
  let image: DebugImage
  let inlines: Bool
  let mangled: Bool
  let isJSON: Bool
  private var names: [String: String] = [:]

  init(image: DebugImage, inlines: Bool, mangled: Bool, isJSON: Bool) {
    self.image = image
    self.inlines = inlines
    self.mangled = mangled
    self.isJSON = isJSON
  }

  /// The answers to these addresses, in their order; nil is a word that wasn't one.
  mutating func text(for addresses: [UInt64?]) -> String {
    let answers = image.frames(at: addresses.compactMap { $0 }, inlines: inlines)
    if !mangled { learnNames(answers) }
    var text = ""
    text.reserveCapacity(addresses.count * 160)
    var next = 0
    for address in addresses {
      var frames: [Frame] = []
      if address != nil {
        frames = answers[next]
        next += 1
      }
      if isJSON { appendJSON(address, frames, to: &text) } else { appendText(frames, to: &text) }
    }
    return text
  }

  /// Demangles the names not seen before, all at once.
  private mutating func learnNames(_ answers: [[Frame]]) {
    var fresh: [String] = []
    for frames in answers {
      for frame in frames where names.updateValue("", forKey: frame.function) == nil {
        fresh.append(frame.function)
      }
    }
    for (name, demangled) in zip(fresh, Demangler.demangle(fresh)) { names[name] = demangled }
  }

  private func name(_ frame: Frame) -> String {
    mangled ? frame.function : names[frame.function] ?? frame.function
  }

  private func appendText(_ frames: [Frame], to text: inout String) {
    for frame in frames {
      text += frame.function.isEmpty ? "??" : name(frame)
      text += "\n"
      text += frame.file ?? "??"
      text += ":\(frame.line):\(frame.column)\n"
    }
    if frames.isEmpty { text += "??\n??:0:0\n" }
    text += "\n"
  }

  private func appendJSON(_ address: UInt64?, _ frames: [Frame], to text: inout String) {
    text += "{\"address\":"
    text += address.map { "\"0x\(String($0, radix: 16))\"" } ?? "null"
    text += ",\"frames\":["
    for (index, frame) in frames.enumerated() {
      if index > 0 { text += "," }
      text += "{\"function\":"
      Self.append(frame.function.isEmpty ? nil : name(frame), to: &text)
      text += ",\"linkerName\":"
      Self.append(frame.function.isEmpty ? nil : frame.function, to: &text)
      text += ",\"file\":"
      Self.append(frame.file, to: &text)
      text += ",\"line\":\(frame.line),\"column\":\(frame.column)}"
    }
    text += "]}\n"
  }

  private static func append(_ string: String?, to text: inout String) {
    guard let string else {
      text += "null"
      return
    }
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
