import ArgumentParser

/// An output format that an option or the extension of the output file selects.
protocol OutputFormat: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {
  static var text: Self { get }
}

extension OutputFormat {
  /// The requested format, or else the format of the file's extension, or else text.
  static func chosen(_ format: Self?, for file: String?) -> Self {
    if let format { return format }
    guard let file, let dot = file.lastIndex(of: ".") else { return .text }
    let fileExtension = file[file.index(after: dot)...].lowercased()
    let names = ["htm": "html", "md": "markdown", "txt": "text"]
    return Self(rawValue: names[fileExtension] ?? fileExtension) ?? .text
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

  private static var formats: String {
    let names = Format.allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// Text for people or JSON for programs.
enum TextOrJSON: String, OutputFormat {
  case text, json
}
