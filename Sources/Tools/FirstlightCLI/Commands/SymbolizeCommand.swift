import ArgumentParser
import DebugInfo
import FirstlightModel
import Glibc
import Inspection
import Recording
import SystemSupport

struct SymbolizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolize",
    abstract: "Shows the function and source line at link-time addresses (PCs).",
    usage: "firstlight symbolize --binary <file> [<options>] [<pc> ...]",
    discussion: """
        firstlight symbolize --binary app 0x401136
        perf script -F ip | firstlight symbolize --binary app --inlines
        firstlight symbolize --binary app shape_area+0x4

      PCs are hexadecimal, with or without 0x; or a function's linker name or a section, and an \
      offset with 0x: main+0x1c, .text.f+0x4. Without arguments, PCs are read from standard input, \
      one a line, and answered as they come. The output has the form of llvm-symbolizer's: function \
      name, file:line:column, empty line, with ?? and 0 for unknown. Names are demangled, Swift's \
      as by swift-demangle and C++'s as by c++filt; llvm-symbolizer writes Swift's unchanged, and \
      some of C++ in other words. With --mangled both write the same. --format json prints one \
      object a line.

      If DEBUGINFOD_URLS names debuginfod servers, missing debug information is fetched from \
      them, into the cache shared with gdb.

      A word that is not a PC is answered with ?? and reported on standard error; the exit code \
      is then 65.
      """)

  @Option(
    help: ArgumentHelp(
      "The executable or shared library.", valueName: "file"), completion: .file())
  var binary: String

  @Flag(help: "Also show inlined functions, innermost first.")
  var inlines = false

  @Flag(help: "Show linker (mangled) names.")
  var mangled = false

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  @Argument(help: ArgumentHelp("The addresses (default: from standard input).", valueName: "pc"))
  var pcs: [String] = []

  func run() throws {
    let image = try DebugFiles.image(of: binary)
    for note in image.notes { Terminal.report("warning: \(note)") }
    let answers = SymbolizedText(
      image: image, inlines: inlines, mangled: mangled, isJSON: format == .json)
    var complaints = 0
    func answer(_ words: [Substring], source: (Int) -> String) throws {
      try image.checkUnchanged()
      var addresses: [UInt64?] = []
      addresses.reserveCapacity(words.count)
      for (index, word) in words.enumerated() {
        do throws(Failure) {
          addresses.append(try PlaceWord(word).address(in: image))
        } catch {
          complaints += 1
          Terminal.report("error: \(source(index)): \(error)")
          addresses.append(nil)
        }
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
}
