import FirstlightModel

/// Reads which functions a linker dropped, from the output of `--print-gc-sections`.
enum LinkerDrops {
  /// The linker names of functions in dropped sections of their own. Accepts the output of lld (`removing
  /// unused section a.o:(.text.f)`), GNU ld (`removing unused section '.text.f' in file 'a.o'`) and gold
  /// (`removing unused section from '.text.f' in file 'a.o'`). Skips other lines.
  package static func names(_ text: String) -> [String] {
    var names: [String] = []
    var seen: Set<TextBytes> = []
    for line in text.lines {
      guard line.containsUTF8("removing unused section"),
        let place = line.firstRange(ofUTF8: ".text.")
      else { continue }
      let name = line[place.upperBound...].prefix(upToAny: ")' ")
      // Names of sections for cold and start-up code have a prefix.
      let kinds = ["unlikely.", "startup.", "hot.", "exit."]
      let function = String(kinds.lazy.compactMap { name.removing(prefix: $0) }.first ?? name)
      if !function.isEmpty, seen.insert(function).inserted { names.append(function) }
    }
    return names
  }
}
