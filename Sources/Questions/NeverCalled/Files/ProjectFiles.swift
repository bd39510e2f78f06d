import FirstlightModel
import Glibc
import ReferenceIndex
import SystemSupport

/// The sources and scripts of a project that may name its functions.
enum ProjectFiles {
  /// The words by which files name functions.
  ///
  /// - Parameters:
  ///   - folder: the project's folder, of which all files count; nil if it is unknown.
  ///   - others: files beside these.
  ///   - binaries: files that name all functions and use none.
  ///   - isCompiled: whether an index has a file.
  static func words(
    _ wanted: Set<TextBytes>, in folder: String?, and others: Set<TextBytes>,
    without binaries: [String],
    isCompiled: (String) -> Bool
  ) -> ProjectWords {
    var words = ProjectWords(wanted)
    let found = folder.map(list)
    var unread = found?.unread ?? []
    for file in others.union(Set(texts: found?.files ?? []))
      .subtracting(Set(texts: binaries)).sorted().map(\.text)
    where ProjectWords.isRead(file) {
      do throws(Failure) {
        guard try isText(file) else { continue }
        words.add(try TextFile.read(file), of: file, isCompiled: isCompiled(file))
      } catch  where access(file, F_OK) == 0 { unread.append(file) } catch {}
    }
    words.addPasted()
    if let first = unread.first {
      Terminal.report(
        "warning: \(CountText.text(unread.count, "file or folder", "files or folders")) of the project cannot be read "
          + "and may name functions: \(first)")
    }
    return words
  }

  /// Whether a file is text: programs, pictures and archives have a zero among their first bytes. Text in UTF-16 has a
  /// byte order mark.
  private static func isText(_ path: String) throws(Failure) -> Bool {
    let start = try RegularFile(path: path, followsLinks: true).bytes(count: 4096)
    return !start.contains(0) || start.starts(with: [0xff, 0xfe])
      || start.starts(with: [0xfe, 0xff])
  }

  private static let skipped = [
    ".git", ".hg", ".svn", ".build", ".build-firstlight", ".build-verification",
  ]

  /// Whether a folder holds a version control's data or the results of SwiftPM's builds and ours.
  private static func isSkipped(_ name: String, in folder: String) -> Bool {
    if skipped.contains(name) { return true }
    return name.begins(with: ".build")
      && access("\(folder)/\(name)/workspace-state.json", F_OK) == 0
  }

  /// The files of a folder, also behind links, and what cannot be read.
  static func list(_ folder: String) -> (files: [String], unread: [String]) {
    struct Identity: Hashable {
      var device: UInt
      var number: UInt
    }
    var (files, unread): ([String], [String]) = ([], [])
    var seen: Set<Identity> = []
    var folders = [folder]
    while let path = folders.popLast() {
      var status = stat()
      guard stat(path, &status) == 0, let names = try? DirectoryListing.names(in: path) else {
        unread.append(path)
        continue
      }
      guard seen.insert(Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))).inserted
      else { continue }
      for name in names where !isSkipped(name, in: path) {
        let place = "\(path)/\(name)"
        guard stat(place, &status) == 0 else {
          // Most links without a target are left over from a build.
          if lstat(place, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK {
            unread.append(place)
          }
          continue
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR where !leadsAway(place, from: folder): folders.append(place)
        case S_IFREG: files.append(place)
        default: break
        }
      }
    }
    return (files, unread.sorted())
  }

  /// Whether a folder is a link to one around the project, or to the system's.
  private static func leadsAway(_ place: String, from project: String) -> Bool {
    guard let target = AbsolutePath.resolved(place), let project = AbsolutePath.resolved(project)
    else { return false }
    if target == "/" || project.begins(with: target + "/") { return true }
    return !target.begins(with: project + "/")
      && ["/usr/", "/proc/", "/sys/", "/dev/", "/nix/"].contains { (target + "/").begins(with: $0) }
  }
}
