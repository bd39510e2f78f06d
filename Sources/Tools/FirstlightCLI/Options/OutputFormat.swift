import ArgumentParser
import FirstlightModel

/// An output format that an option or the extension of the output file selects.
protocol OutputFormat: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {
  static var text: Self { get }
}

extension OutputFormat {
  /// The requested format, or else the format of the file's extension, or else text.
  static func chosen(_ format: Self?, for file: String?) -> Self {
    format ?? named(by: file) ?? .text
  }

  /// Refuses the extension of a document that is none of these formats: `-o app.pdf` would be text.
  static func check(_ format: Self?, for file: String?) throws {
    guard format == nil, let file, named(by: file) == nil else { return }
    let names = allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("\(file): unknown extension: pass --format, one of \(names).")
  }

  /// Nil if the extension names no format.
  private static func named(by file: String?) -> Self? {
    guard let ending = file.flatMap(fileExtension) else { return .text }
    let names = ["htm": "html", "md": "markdown", "txt": "text", "log": "text", "out": "text"]
    return Self(rawValue: names[ending] ?? ending)
  }

  private static func fileExtension(_ file: String) -> String? {
    let name = BaseName.of(file)
    guard let dot = name.lastIndex(ofUTF8: "."), dot != name.startIndex else { return nil }
    return name[name.index(after: dot)...].lowercased()
  }
}

/// The destination of a report.
struct OutputOption: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Output file (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?
}

/// The form of a report, and where it goes.
struct ReportOptions<Format: OutputFormat>: ParsableArguments {
  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      "Output format: \(ReportOptions.formats) (default: by the output file's extension, else text)."
    ))
  var givenFormat: Format?

  @OptionGroup var destination: OutputOption

  var output: String? { destination.output }

  var format: Format { .chosen(givenFormat, for: output) }

  func validate() throws { try Format.check(givenFormat, for: output) }

  private static var formats: String {
    let names = Format.allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// Text for people or JSON for programs.
enum TextOrJSON: String, OutputFormat {
  case text, json
}
