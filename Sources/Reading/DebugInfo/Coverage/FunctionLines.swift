import FirstlightModel

/// The lines of functions in their source files, as an image knows them.
package struct FunctionLines: Sendable {
  private struct Key: Hashable {
    @TextBytes var file: String
    /// The line where a body begins, or a linker name.
    var line = 0
    @TextBytes var name = ""
  }

  private var lines: [Key: ClosedRange<Int>] = [:]

  package init() {}

  /// The last line of the body that begins at a line; nil if it is unknown.
  package func end(ofBodyAt line: Int, in file: String) -> Int? {
    lines[Key(file: file, line: line)]?.upperBound
  }

  /// The first and last lines of a function's code; nil if they are unknown.
  package func extent(ofCode name: String, in file: String) -> ClosedRange<Int>? {
    lines[Key(file: file, name: name)]
  }

  /// The compiler's mapping has the whole bodies of the functions that it counts, whatever became of their code.
  fileprivate init(_ mapping: CoverageMapping) {
    for function in mapping.functions.values {
      add(Key(file: function.file, line: function.line), function.lastLine)
    }
  }

  private mutating func add(_ key: Key, _ line: Int) {
    let known = lines[key] ?? line...line
    lines[key] = min(known.lowerBound, line)...max(known.upperBound, line)
  }

  /// The lines of code, that of copies too. Code has a line for a closing brace at which a function returns.
  fileprivate mutating func add(_ frames: FrameTable) {
    for index in 0..<frames.count {
      for frame in frames.frames(at: index) {
        guard !frame.function.isEmpty, let place = frame.location else { continue }
        add(Key(file: place.file, name: frame.function), place.line)
      }
    }
  }
}

/// A macro's lines as a part of a function that the compiler counts.
package struct MacroUse: Hashable, Sendable {
  @TextBytes package var file: String
  package var lines: ClosedRange<Int>
  /// Where the function's body begins.
  @TextBytes package var functionFile: String
  package var functionLine: Int
}

extension DebugImage {
  /// The macros of these files in functions that the compiler counts.
  package func macroUses(in files: Set<TextBytes>) -> Set<MacroUse> {
    Set(
      CoverageMapping(elf, macroFiles: files).macros.map {
        MacroUse(
          file: $0.file, lines: $0.line...$0.lastLine, functionFile: $0.functionFile,
          functionLine: $0.functionLine)
      })
  }

  /// Where the functions that the compiler counts end.
  package var countedLines: FunctionLines {
    FunctionLines(CoverageMapping(elf, readsBodies: true))
  }

  /// Where functions with code, and their copies in it, end.
  ///
  /// - Parameter code: link-time addresses.
  package func lines(ofCode code: [Range<UInt64>]) -> FunctionLines {
    var lines = FunctionLines()
    guard hasDebugInfo else { return lines }
    let addresses = code.filter { $0.count <= Self.largestFunction }.flatMap(Array.init)
    lines.add(source.frames(at: addresses, inlines: true))
    return lines
  }

  private static let largestFunction = 1 << 20
}
