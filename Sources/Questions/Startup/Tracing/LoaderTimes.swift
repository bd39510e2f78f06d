import FirstlightModel

/// The times at which the loader worked on each image, derived from its system calls.
///
/// The loader opens a library, maps it and closes it. Later it relocates one image after the other. The last
/// step for each image makes its relocated read-only data (RELRO) read-only, so the time up to that call is the
/// image's. An image without RELRO has no visible end, so its time counts for the next image. A library that a
/// program loads by itself (dlopen) is relocated after the loader has announced its mapping.
struct LoaderTimes {
  /// The executable first, then libraries in the order of their mapping, the loader last.
  private(set) var images: [LoadedImage] = []
  /// When the last library was mapped and the first relocation began; nil if no relocation was seen.
  private(set) var mapped: LaunchEvents.Moment?

  private struct Open {
    var began: UInt64
    var path: String
    var range: Range<UInt64>?
    var isCode = false
  }

  private static let readOnly: UInt64 = 1
  private static let executable: UInt64 = 4

  /// - Parameter until: when the loader had relocated everything. The program itself loaded images that were
  ///   mapped later.
  init(_ events: LaunchEvents, until: UInt64?) {
    images.append(
      LoadedImage(
        path: events.program, mappedAt: events.since(events.executed.time), mapping: nil,
        relocating: nil, isLoadedLater: false))
    var ranges = [events.programRange]
    var open: [Int64: Open] = [:]
    var last = events.executed
    var relocating: UInt64?
    let told = events.librariesTold.map(\.time)
    var nextTold = 0
    for call in events.systemCalls {
      let isLater = until.map { call.began > $0 } ?? false
      switch call.kind {
      case .open where call.result >= 0:
        open[call.result] = Open(began: call.began, path: call.path)
      case .map where call.arguments.count > 4:
        let file = Int64(truncatingIfNeeded: call.arguments[4] & 0xffff_ffff)
        guard call.result > 0, open[file] != nil else { break }
        let start = UInt64(bitPattern: call.result)
        if open[file]!.range == nil { open[file]!.range = start..<(start &+ call.arguments[1]) }
        if call.arguments[2] & Self.executable != 0 { open[file]!.isCode = true }
      case .close where !call.arguments.isEmpty:
        let file = Int64(truncatingIfNeeded: call.arguments[0] & 0xffff_ffff)
        guard let library = open.removeValue(forKey: file), library.isCode,
          let range = library.range
        else { break }
        let start = events.since(library.began, thread: events.mainThread)
        images.append(
          LoadedImage(
            path: library.path, mappedAt: start,
            mapping: max(start, events.since(call.end.time, thread: events.mainThread)) - start,
            relocating: nil, isLoadedLater: isLater))
        ranges.append(range)
      case .protect where isLater && call.arguments.count > 2:
        guard call.arguments[2] == Self.readOnly, call.result == 0,
          let place = ranges.firstIndex(where: { $0.contains(call.arguments[0]) }),
          images[place].isLoadedLater
        else { break }
        while nextTold < told.count, told[nextTold] < call.began { nextTold += 1 }
        let before = nextTold > 0 ? max(last.time, told[nextTold - 1]) : last.time
        let begin = events.since(before, thread: events.mainThread)
        let end = max(begin, events.since(call.end.time, thread: events.mainThread))
        images[place].relocating = (images[place].relocating ?? 0) + (end - begin)
      case .protect where !isLater && call.arguments.count > 2:
        guard call.arguments[2] == Self.readOnly, call.result == 0 else { break }
        if mapped == nil { mapped = last }
        let begin = relocating ?? events.since(last.time, thread: events.mainThread)
        let end = max(begin, events.since(call.end.time, thread: events.mainThread))
        relocating = end
        if let place = ranges.firstIndex(where: { $0.contains(call.arguments[0]) }) {
          images[place].relocating = (images[place].relocating ?? 0) + (end - begin)
        } else if events.hasLoader {
          images.append(
            LoadedImage(
              path: events.loader, mappedAt: events.since(events.executed.time), mapping: nil,
              relocating: end - begin, isLoadedLater: false))
          ranges.append(0..<0)
        }
      default: break
      }
      last = call.end
    }
  }
}
