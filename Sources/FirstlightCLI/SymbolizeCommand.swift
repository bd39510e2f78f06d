import ArgumentParser
import DebugInfo
import FirstlightModel
import Glibc

struct SymbolizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolize",
    abstract: "Tells the function and source line at link-time addresses (PCs).",
    discussion: """
      PCs are hexadecimal, with or without 0x. Without any on the command line they are read from \
      standard input, one a line, and answered as they come. The answer to each PC is the \
      function's name and file:line:column, then an empty line, as llvm-symbolizer prints them; \
      what is unknown is ?? and 0. With --format json it is one object a line.

        firstlight symbolize --binary app 0x401136
        perf script -F ip | firstlight symbolize --binary app --inlines

      A word that isn't a PC is answered with ??, named on standard error, and makes the exit \
      code 65.
      """)

  @Option(help: ArgumentHelp("The executable or shared library.", valueName: "file"))
  var binary: String

  @Flag(help: "Show inlined functions too, innermost first.")
  var inlines = false

  @Flag(help: "Show names as the linker knows them.")
  var mangled = false

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  @Argument(help: ArgumentHelp("The addresses.", valueName: "pc"))
  var pcs: [String] = []

  func run() throws {
    let image = try DebugImage(path: binary)
    for note in image.notes { Terminal.complain("warning: \(note)") }
    let answers = SymbolizedText(
      image: image, inlines: inlines, mangled: mangled, isJSON: format == .json)
    var complaints = 0
    func answer(_ words: [Substring], source: (Int) -> String) throws {
      var addresses: [UInt64?] = []
      addresses.reserveCapacity(words.count)
      for (index, word) in words.enumerated() {
        let address = Self.address(word)
        if address == nil {
          complaints += 1
          Terminal.complain(
            "error: \(source(index)): \"\(word.prefix(60))\" is not a PC; "
              + "give hexadecimal digits, with or without 0x")
        }
        addresses.append(address)
      }
      let text = answers.text(for: addresses)
      try image.checkUnchanged()
      try Output.write(String(decoding: text, as: UTF8.self), to: nil)
    }
    if pcs.isEmpty {
      var input = LineBatches(file: STDIN_FILENO)
      while let batch = try input.next() {
        try answer(batch.words) { "standard input, line \(batch.lines[$0])" }
      }
    } else {
      try answer(pcs.map { $0[...] }) { "argument \($0 + 1)" }
    }
    if complaints > 0 { throw ExitCode(Failure.Kind.data.rawValue) }
  }

  /// Nil if the word isn't a hexadecimal number of at most 64 bits.
  private static func address(_ word: Substring) -> UInt64? {
    var digits = word.utf8[...]
    if digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first,
      second | 0x20 == UInt8(ascii: "x")
    {
      digits = digits.dropFirst(2)
    }
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      guard value >> 60 == 0 else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
