import DebugInfo
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// Finds the files to put probes into: the programs of a target, and the libraries that belong to them.
struct ProbedFiles {
  typealias Program = WatchedProcesses.Program

  private let target: AttachTarget
  private(set) var images: BreakpointImages
  private(set) var all: [ProbedFile] = []
  private(set) var programs: [FilePlace: Program] = [:]
  /// Files that were looked at, whether they are watched or not.
  private var known: Set<FilePlace> = []
  /// The named process.
  let only: pid_t?
  /// Whether only the named process is watched, because others might copy their code.
  private(set) var isConfined = false

  /// - Parameter globs: libraries to watch, besides those that belong to the program.
  /// - Throws: `.data` if no program has known functions.
  init(_ target: AttachTarget, globs: [String]) throws(Failure) {
    self.target = target
    if case .process(let pid) = target { only = pid } else { only = nil }
    images = BreakpointImages(globs: globs)
    let named = try target.processes()
    if case .file(let path) = target { try addProgram(path) }
    let isNamed = isNamed(named)
    for pid in named { try addProgram(of: pid, isNamed: isNamed) }
    guard !programs.isEmpty else {
      throw Failure(
        .data, "nothing to watch: \(images.problems.first ?? "no program has known functions")",
        advice: "keep the program's symbols, or put its debug file beside it")
    }
  }

  var cost: AttachCost { all.reduce(AttachCost()) { $0 + $1.cost } }

  func file(of image: Int) -> ProbedFile? { all.first { $0.image == image } }

  /// The program in a file; nil for a library.
  func program(of image: Int) -> Program? { programs.values.first { $0.image == image } }

  /// Whether the user named the program of these processes, and not only a unit with several programs.
  private func isNamed(_ processes: [pid_t]) -> Bool {
    if target.namesPrograms { return true }
    return Set(processes.map(RunningProgram.place)).count == 1
  }

  /// Adds the program in a file, which need not run yet.
  private mutating func addProgram(_ path: String) throws(Failure) {
    let file = try OpenFile(path, path: AbsolutePath.resolved(path) ?? path)
    guard known.insert(file.place).inserted else { return }
    if let image = try add(file, seenBy: getpid(), isNamed: true, isProgram: true) {
      programs[file.place] = Program(path: file.path, image: image)
    }
  }

  private mutating func addProgram(of pid: pid_t, isNamed: Bool) throws(Failure) {
    guard let path = RunningProgram.path(of: pid) else {
      if case .process = target {
        throw Failure(
          .unavailable, "\(pid): its program cannot be read",
          advice: "run firstlight as root or as its user; threads of the kernel have none")
      }
      return
    }
    guard let place = RunningProgram.place(of: pid), known.insert(place).inserted else {
      return
    }
    let file = try OpenFile(RunningProgram.link(of: pid), path: path)
    // If a unit has several programs, those without symbols, such as a shell, are left out.
    if let image = try add(file, seenBy: pid, isNamed: isNamed, isProgram: true) {
      programs[place] = Program(path: path, image: image)
    }
  }

  private mutating func add(
    _ file: OpenFile, seenBy pid: pid_t, isNamed: Bool, isProgram: Bool = false
  ) throws(Failure) -> Int? {
    Terminal.progress("reading \(file.path)")
    let image = try file.image(seenBy: ProcessRoot(of: pid))
    if image.elf.mayMoveItsCode, only == nil {
      throw Failure(
        .unavailable,
        "\(file.path) may copy its code to huge pages (it has a section lpstub): a process that does so while it "
          + "is watched would die",
        advice: "give the process id of one that has started; then only that one is watched")
    }
    guard let number = images.add(image, path: file.path, isNamed: isNamed, isCommand: isNamed)
    else { return nil }
    let addresses = Array(images.entries[number]!.addresses)
    all.append(
      try ProbedFile(
        file, image: number, offsets: image.probePlaces(of: addresses),
        start: isProgram
          ? image.probePlaces(of: [image.elf.entryPoint])[0].map { place in
            (place, addresses.firstIndex(of: image.elf.entryPoint).map { UInt32($0) })
          } : nil, process: image.elf.mayMoveItsCode ? only : nil))
    if image.elf.mayMoveItsCode { isConfined = true }
    return number
  }

  /// Adds programs of the target that were not there before, such as a new build.
  mutating func addNewPrograms() {
    if case .file(let path) = target { try? addProgram(path) }
    guard target.outlivesItsProcesses else { return }
    let named = (try? target.processes()) ?? []
    let isNamed = isNamed(named)
    for pid in named { try? addProgram(of: pid, isNamed: isNamed) }
  }

  /// A file that a process has mapped.
  enum Library {
    case watched(image: Int)
    /// Its functions run unseen. The number stands for it among those of images.
    case refused(number: Int)
    /// No library of the program, or not yet known to be one.
    case foreign
  }

  /// Libraries that cannot be watched, with negative numbers.
  private var refused: [FilePlace: Int] = [:]

  /// Adds a library that a process has mapped, if it is to be watched.
  mutating func addLibrary(
    _ mapping: ProcessMapping, of pid: UInt32, _ root: ProcessRoot
  ) -> Library {
    let path = mapping.path
    guard mapping.inode != 0, path.begins(with: "/"), images.wantsLibrary(root.inside(path))
    else { return .foreign }
    let link = mapping.link(of: pid)
    guard let place = FilePlace(link) else { return .foreign }
    if let watched = all.first(where: { $0.file.place == place }) {
      return .watched(image: watched.image)
    }
    if let number = refused[place] { return .refused(number: number) }
    guard known.insert(place).inserted else { return .foreign }
    do throws(Failure) {
      let file = try OpenFile(link, path: path)
      // A program may also map its own kinds of code, which has no functions with names.
      guard FileStart.isELF(file.bytes(at: 0, 4)) else { return .foreign }
      let image = try add(file, seenBy: pid_t(pid), isNamed: true)
      return image.map { .watched(image: $0) } ?? .foreign
    } catch {
      images.note("\(error); its functions are not recorded")
      let number = -1 - refused.count
      refused[place] = number
      return .refused(number: number)
    }
  }

  /// Gives up the files of earlier builds.
  ///
  /// - Parameter used: the images that processes use.
  mutating func release(except used: Set<Int>) {
    let named: FilePlace? = if case .file(let path) = target { FilePlace(path) } else { nil }
    let unused = all.filter { file in
      // A service starts again from the same file.
      file.file.place != named && !used.contains(file.image)
        && FilePlace(file.file.path) != file.file.place
    }
    for file in unused {
      file.finish()
      all.removeAll { $0 === file }
      programs[file.file.place] = nil
      known.remove(file.file.place)
      images.release(file.image)
    }
  }

  /// Whether a watched file is about to be overwritten. In a new file the kernel would write breakpoints at the
  /// places of the old one.
  ///
  /// - Throws: `.data` if that has happened already: neither code nor names are known any more.
  func areOverwritten() throws(Failure) -> Bool {
    for file in all.lazy.map(\.file) {
      if file.isWanted {
        Terminal.report("warning: \(file.path) is about to be overwritten, so the watch ends")
        return true
      }
      guard file.isChanged else { continue }
      for file in all { file.finish() }
      throw Failure(
        .data, "\(file.path) was overwritten while it was watched: what was seen is lost",
        advice: "move new builds to their place (mv, install), and watch again")
    }
    return false
  }
}
