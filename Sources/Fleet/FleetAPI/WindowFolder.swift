import FirstlightModel
import FleetModel
import Glibc
import Synchronization
import SystemSupport

/// Windows on disk that wait for a daemon. Each process that watches has a folder, and locks it as long as it lives.
///
/// The next process that sends to the same daemon also sends the windows of ended processes.
final class WindowFolder: Sendable {
  let path: String
  private let parent: String
  private let prefix: String
  private let lock: Int32
  /// The number of times that each of our files was written.
  private let writes = Mutex<[String: Int]>([:])

  struct Window {
    var file: String
    var bytes: [UInt8]
    fileprivate var write: Int
  }

  /// - Parameter url: the daemon's.
  init(for url: String) throws(Failure) {
    guard let state = StatePath.ofThisService ?? StatePath.ofThisUser else {
      throw Failure(
        .cannotCreate, "no directory for windows that wait", advice: "set HOME or STATE_DIRECTORY")
    }
    parent = "\(state)/windows"
    prefix = FNV1a.hash(of: url.utf8).hexText + "-"
    path = "\(parent)/\(prefix)\(UInt64.random(in: .min ... .max).hexText)"
    try Self.make(path)
    guard let lock = Self.lock(path) else {
      throw Failure(.cannotCreate, "\(path): cannot be locked")
    }
    self.lock = lock
  }

  func put(_ bytes: [UInt8], named name: String) throws(Failure) {
    let file = "\(path)/\(name)"
    let result = writes.withLock { writes in
      Result { () throws(Failure) in
        try ResultFile.write(bytes, to: file)
        writes[file, default: 0] += 1
      }
    }
    try result.get()
  }

  /// All windows for the daemon, those of ended processes first.
  var waiting: [Window] {
    let folders = names(in: parent).filter { $0.hasPrefix(prefix) }.map { "\(parent)/\($0)" }
    let left = folders.filter { $0 != path }.flatMap { folder -> [Window] in
      guard let lock = Self.lock(folder) else { return [] }
      defer { Glibc.close(lock) }
      // Succeeds if the folder is empty.
      if rmdir(folder) == 0 { return [] }
      return windows(in: folder)
    }
    return left + windows(in: path)
  }

  /// Removes a window that was sent, unless a newer one has replaced it.
  func remove(_ window: Window) {
    writes.withLock { writes in
      if writes[window.file] ?? 0 == window.write { unlink(window.file) }
    }
  }

  /// Unlocks the folder, so that the next process sends its windows.
  ///
  /// - Returns: the number of windows that wait.
  func close() -> Int {
    let count = windows(in: path).count
    rmdir(path)
    Glibc.close(lock)
    return count
  }

  private func windows(in folder: String) -> [Window] {
    names(in: folder).sorted().compactMap { name in
      let file = "\(folder)/\(name)"
      return writes.withLock { writes in
        // A file that a power cut left unfinished is no batch.
        guard let bytes = try? FileContents.read(file), (try? StateBatch(bytes)) != nil else {
          return nil
        }
        return Window(file: file, bytes: bytes, write: writes[file] ?? 0)
      }
    }
  }

  private func names(in folder: String) -> [String] {
    (try? DirectoryListing.names(in: folder)) ?? []
  }

  private static func make(_ path: String) throws(Failure) {
    var end = path.utf8.startIndex
    while let slash = path.utf8[path.utf8.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) {
      mkdir(String(path[..<slash]), 0o700)
      end = slash
    }
    guard mkdir(path, 0o700) == 0 else {
      throw Failure(.cannotCreate, "\(path): \(ErrorText.of(errno))")
    }
  }

  private static func lock(_ folder: String) -> Int32? {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
    Glibc.close(file)
    return nil
  }
}

extension UInt64 {
  fileprivate var hexText: String { String(self, radix: 16) }
}
