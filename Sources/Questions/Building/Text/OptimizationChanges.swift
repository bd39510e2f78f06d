import FirstlightModel
import Ordering
import SystemSupport

/// The changes of a program, with their prices, and how to keep them.
extension Optimization {
  /// The headline of the command in the last line: the optimizations in it.
  func recipe(_ applied: [Priced], isRecommended: Bool) -> [String] {
    var parts: [String] = []
    if isPacked { parts.append("packed relocations") }
    if prefetch != nil { parts.append("page prefetch") }
    if conformances?.isKept == true { parts.append("an index of conformances") }
    parts += applied.map(\.name)
    let last = parts.popLast()
    let list = (parts.isEmpty ? "" : parts.joined(separator: ", ") + " and ") + (last ?? "")
    let first =
      (isRecommended
        ? "Build it like this from now on" : "Not recommended. This builds it all the same")
      + ", in start-up order"
    return list.isEmpty ? [first + ":"] : [first, "with \(list):"]
  }

  func changes(_ applied: [Priced], check: String) -> [String] {
    var lines = [
      "\(CountText.text(verification.entries.count, "function")) called in "
        + "\(CountText.text(recordedRuns, "run")) ordered; "
        + "\(NumberText.share(verification.hitRate)) are in order, on "
        + "\(CountText.text(verification.pages, "page")) (at least "
        + "\(CountText.number(verification.minimumPages)) needed)"
    ]
    lines += unmovable(check: check)
    lines.append(packing)
    if isPacked {
      lines.append(
        price("needs glibc 2.36 or newer at run time; an older one refuses to start the program"))
    }
    if let prefetch = prefetch {
      lines.append(
        "\(CountText.text(prefetch.pageCount, "page")) in "
          + "\(CountText.text(prefetch.ranges.count, "range")) prefetched before main")
      lines.append(
        price(
          "fits this build: optimize again after larger changes; a stale list prefetches "
            + "the wrong pages"))
    }
    if let glibc = glibc {
      lines.append(
        "starts with glibc \(glibc.version) or newer"
          + (glibc.unpacked < glibc.version
            ? " (\(glibc.unpacked) without packed relocations: --target-glibc \(glibc.unpacked))"
            : ""))
    }
    if let conformances = conformances {
      lines.append(conformances.line)
      if conformances.isKept {
        lines.append(
          price("fits this build: optimize again after changes; another build ignores the table"))
      }
    }
    for option in applied {
      lines += ["\(option.name): \(option.gain)", price(option.price)]
    }
    return lines
  }

  private func price(_ text: String) -> String { "    price: \(text)" }

  private var packing: String {
    if isPacked { return "relative relocations packed" }
    let needed = GlibcVersion.packedRelocations
    if let target = target, target < needed {
      return
        "relative relocations not packed: they need glibc \(needed), and the target has \(target)"
    }
    return "relative relocations not packed: it takes lld 15 and glibc \(needed) or newer"
      + (linker.isEmpty ? "" : "; linked by \(linker)")
  }

  /// Functions that the order could not move, and whether the user can change that.
  private func unmovable(check: String) -> [String] {
    let entries = verification.entries
    let files = entries.compactMap { entry -> String? in
      // Without a map, the file is unknown.
      if case .sharesSection(let file, _) = entry.fate { file ?? "" } else { nil }
    }
    if files.isEmpty { return [] }
    var lines = [
      "\(CountText.text(files.count, "function")) not movable, in sections shared with others: compiled "
        + "without -ffunction-sections (list: \(check))"
    ]
    let foreign = files.filter { !owner.owns($0) }
    if !foreign.isEmpty {
      // Every program contains start files (crt1.o, crtbeginS.o), so their names are no news.
      let names = Set(foreign.map { BaseName.of(SectionOwner.archive($0)) })
        .filter { !$0.begins(with: "crt") }.sorted()
      lines.append(
        "\(CountText.number(foreign.count)) of them are not yours to recompile"
          + (names.isEmpty ? "" : ": " + names.prefix(4).joined(separator: ", "))
          + (names.count > 4 ? ", ..." : ""))
    }
    if takesCompilerFlags, (files.count - foreign.count) * 4 > entries.count {
      lines.append(
        "to move these too, pass {cflags} to the compiler, and have the build command recompile all "
          + "(begin with make clean)")
    }
    return lines
  }
}
