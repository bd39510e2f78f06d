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
    let names = ["htm": "html", "md": "markdown", "txt": "text", "pb": "pprof", "gz": "pprof"]
    return Self(rawValue: names[fileExtension] ?? fileExtension) ?? .text
  }
}

/// Text for people or JSON for programs.
enum TextOrJSON: String, OutputFormat {
  case text, json
}
