/// Reads which functions a linker dropped, from the output of `--print-gc-sections`.
package enum LinkerDrops {
  /// The linker names of functions in dropped sections of their own. Accepts the output of lld (`removing
  /// unused section a.o:(.text.f)`), GNU ld (`removing unused section '.text.f' in file 'a.o'`) and gold
  /// (`removing unused section from '.text.f' in file 'a.o'`). Skips other lines.
  package static func names(_ text: String) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for line in text.split(whereSeparator: \.isNewline) {
      guard line.contains("removing unused section"),
        let place = line.firstRange(of: ".text.")
      else { continue }
      let name = line[place.upperBound...].prefix { $0 != ")" && $0 != "'" && $0 != " " }
      // Names of sections for cold and start-up code have a prefix.
      let plain = ["unlikely.", "startup.", "hot.", "exit."].first { name.hasPrefix($0) }
      let function = String(plain.map { name.dropFirst($0.count) } ?? name)
      if !function.isEmpty, seen.insert(function).inserted { names.append(function) }
    }
    return names
  }
}
