import ArgumentParser
import DebugInfo
import FirstlightModel
import Glibc
import Recording
import Symbolization
import SystemSupport

struct SymbolizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolize",
    abstract: "Shows the function and source line at link-time addresses (PCs).",
    discussion: """
      PCs are hexadecimal, with or without 0x. A function or section and an offset will do too: \
      main+0x1c, .text.f+0x4; functions by their linker names, offsets with 0x. Without any on \
      the command line they are read from standard input, one a line, and answered as they come. \
      The answer to each PC is the function's name and file:line:column, then an empty line, as \
      llvm-symbolizer prints them; what is unknown is ?? and 0. With --format json it is one \
      object a line.

        firstlight symbolize --binary app 0x401136
        perf script -F ip | firstlight symbolize --binary app --inlines
        firstlight symbolize --binary shape.o shape_area+0x0
        firstlight symbolize --binary 'libshape.a(shape.o)' shape_area+0x0

      The sections of an object file have no addresses before it is linked. Those with code count \
      as one after the other from 0, each aligned: with one of them, addresses are those of nm.

      Where DEBUGINFOD_URLS names debuginfod servers, debug information that this machine lacks is \
      fetched from them, into the cache that gdb has too.

      A word that isn't a PC is answered with ??, named on standard error, and makes the exit \
      code 65.
      """)

  @Option(
    help: ArgumentHelp(
      "The executable, shared library or object file; ARCHIVE(MEMBER) for one of an archive's.",
      valueName: "file"))
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
    let image = try DebugFiles.image(of: binary, objects: true)
    for note in image.notes { Terminal.report("warning: \(note)") }
    let answers = SymbolizedText(
      image: image, inlines: inlines, mangled: mangled, isJSON: format == .json)
    var complaints = 0
    func answer(_ words: [Substring], source: (Int) -> String) throws {
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
