import DebugInfo
import FirstlightModel
import FirstlightTracer
import Glibc
import Recording
import SystemSupport

/// The places in files at which a start-up is watched. The tracer queries them while the program is stopped.
/// Each file is read once and does not stay mapped, so that its pages can be dropped.
final class LaunchImages {
  /// The meaning of a place.
  enum Place {
    case landmark(LaunchEvents.Landmark)
    /// `__libc_start_main`: its first argument is the address of `main`.
    case libraryStart
    case listen
    /// A function of the Swift runtime that looks up a protocol conformance.
    case lookup
    /// A function that the runtime calls only after it has scanned the conformance records.
    case scan
    /// A function that the program's index of conformances calls with the reason why it is not used.
    case unusedIndex
    /// A function of which only the first call is recorded.
    case function
  }

  struct Entry {
    let path: String
    let isProgram: Bool
    let loadedRange: Range<UInt64>
    let hasInterpreter: Bool
    let isInstrumented: Bool
    let relocations: RelocationFacts
    /// Places by link-time address; all other addresses are functions.
    let places: [UInt64: Place]
    /// Read by the tracer. Never freed.
    let addresses: UnsafeBufferPointer<UInt64>
    let mainArgument: UInt32
    /// For files with watched functions: their index, and the functions' addresses.
    let functions: (image: DebugImage, entries: FunctionEntries)?

    func place(_ address: UInt64) -> Place { places[address] ?? .function }
  }

  /// The number of an image whose only function is a `main` without a symbol.
  static let foundMain = UInt32.max - 1

  let detail: WatchDetail
  /// Whether to watch for the program listening on a port.
  let watchesListen: Bool
  private(set) var entries: [Entry] = []
  private var noted: [String] = []
  /// Whether a symbol names the program's `main`.
  private var namesMain = false
  /// Nil unless calls are watched.
  private var libraries: LibraryChoice?
  private var known: [FileIdentity: Int?] = [:]

  init(_ detail: WatchDetail, watchesListen: Bool) {
    self.detail = detail
    self.watchesListen = watchesListen
    if case .details(let globs?) = detail { libraries = LibraryChoice(globs) }
  }

  var problems: [String] { noted + (libraries?.problems ?? []) }

  /// Whether anything is watched at all.
  var isEmpty: Bool { detail == .plain && !watchesListen }

  var watchesCalls: Bool { libraries != nil }

  /// Whether the loader's work and initializers are watched.
  var watchesDetails: Bool { if case .details = detail { true } else { false } }

  /// Whether to watch the program's first instruction. It marks a stage if `main` does not.
  private var watchesStart: Bool {
    switch detail {
    case .plain: false
    case .stages(let hasMain, _): !hasMain
    case .details, .lookups: true
    }
  }

  /// Whether a file contains a Swift runtime.
  private(set) var hasSwiftRuntime = false

  /// Whether the program answers conformance look-ups from an index, and calls the runtime only for others.
  private(set) var hasConformanceIndex = false
  /// Why it does not use the index; nil: no reason was seen.
  var unusedIndex: UnusedConformanceIndex?

  func note(_ problem: String) {
    if !noted.contains(problem) { noted.append(problem) }
  }

  private var loaders: [FileIdentity: (address: UInt64, state: UInt64)] = [:]

  /// The function that the loader calls when libraries change (`LoaderPlaces`). The loader's file is read only
  /// once, so that the caches of a CPU shared with the program stay warm.
  func loaderPlace(_ path: String, _ state: UnsafeMutablePointer<UInt64>) -> UInt64 {
    let identity = FileIdentity(path)
    let known = loaders[identity] ?? (LoaderPlaces.find(path, state), state.pointee)
    loaders[identity] = known
    state.pointee = known.state
    return known.address
  }

  /// Fills in the addresses to watch in a file; returns false if there are none.
  func choose(_ file: fl_tracer_file, _ sites: UnsafeMutablePointer<fl_tracer_sites>)
    -> Bool
  {
    let path = String(cString: file.path)
    let link = String(cString: file.link)
    let identity = FileIdentity(path, at: link)
    let number: Int?
    if let place = known[identity] {
      number = place
    } else {
      number = open(path, link, isProgram: file.is_program)
      known[identity] = number
    }
    guard let number else { return false }
    let entry = entries[number]
    sites.pointee = fl_tracer_sites(
      image: UInt32(number), count: UInt32(entry.addresses.count),
      addresses: entry.addresses.baseAddress, main_argument: entry.mainArgument,
      main_image: Self.foundMain)
    return !entry.addresses.isEmpty
  }

  private func open(_ path: String, _ link: String, isProgram: Bool) -> Int? {
    guard let image = try? DebugImage(path: link) else { return nil }
    var places: [UInt64: Place] = [:]
    let libraryFunctions = image.symbols.named(
      ["__libc_start_main", "listen", "__listen", "main"])
    if detail != .plain {
      if isProgram { namesMain = libraryFunctions.contains { $0.name == "main" } }
      for symbol in libraryFunctions {
        if symbol.name == "__libc_start_main", watchesDetails || !namesMain {
          places[symbol.address] = .libraryStart
        }
        if symbol.name == "main", isProgram { places[symbol.address] = .landmark(.main) }
      }
      for initializer in watchesDetails ? image.initializers : [] {
        places[initializer.address] = .landmark(.initializer(name: initializer.name))
      }
      if isProgram, image.elf.entryPoint != 0, watchesStart {
        places[image.elf.entryPoint] = .landmark(.start)
      }
    }
    if watchesListen {
      for symbol in libraryFunctions where symbol.name.ends(with: "listen") {
        places[symbol.address] = .listen
      }
    }
    let lookups = image.elf.hasSwiftCode ? SwiftRuntimeFunctions.lookups(image) : []
    hasSwiftRuntime = hasSwiftRuntime || !lookups.isEmpty
    if isProgram, !lookups.isEmpty {
      hasConformanceIndex = SwiftRuntimeFunctions.hasIndex(image)
    }
    if detail == .lookups, !lookups.isEmpty {
      for address in lookups { places[address] = .lookup }
      for address in SwiftRuntimeFunctions.scans(image) { places[address] = .scan }
      for symbol in image.symbols.named([UnusedConformanceIndex.function]) {
        places[symbol.address] = .unusedIndex
      }
    }
    var functions: (DebugImage, FunctionEntries)?
    libraries?.saw(path)
    if let libraries, isProgram || libraries.isNamed(path) {
      functions = (image, image.functionEntries)
    }
    let code = image.elf.codeRange
    let chosen = Set(places.keys).filter { code.contains($0) }
      .union(functions?.1.addresses ?? []).sorted()
    let addresses = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: chosen.count)
    _ = addresses.initialize(from: chosen)
    let mainArgument = chosen.firstIndex {
      if case .libraryStart? = places[$0] { true } else { false }
    }
    entries.append(
      Entry(
        path: path, isProgram: isProgram, loadedRange: image.elf.loadedRange,
        hasInterpreter: image.elf.hasInterpreter,
        isInstrumented: isProgram && !image.instrumentation.isEmpty,
        relocations: image.elf.relocationFacts, places: places,
        addresses: UnsafeBufferPointer(addresses),
        mainArgument: mainArgument.map { UInt32($0) } ?? .max, functions: functions))
    return entries.count - 1
  }
}

/// The amount of detail in which a start is watched.
enum WatchDetail: Hashable {
  /// Only exec and end.
  case plain
  /// The few places that mark stages. If `isLetGo`, the program runs on untraced from `main`, or without a
  /// known `main` from its first instruction after the loader's.
  case stages(hasMain: Bool, isLetGo: Bool)
  /// The loader's system calls, each initializer, and the first call of each function of the program and of the
  /// matching libraries; nil: no functions.
  case details(libraries: [String]?)
  /// Each call of the Swift runtime's functions that look up protocol conformances.
  case lookups
}
