import FirstlightModel
import Foundation
import Glibc
import ProcessControl
import SystemSupport

/// A temporary copy of a project's folder for testing a patch. It is removed with this object.
///
/// Excludes the build folders of SwiftPM and CMake, whose files name their path, so that a build in them would be one of
/// the original. Keeps the packages that SwiftPM fetched. Everything else is copied with its modification times, so that
/// make continues from there. Links into the original lead into the copy.
package final class TreeCopy {
  /// Root of the copy: absolute, without links.
  package let root: String
  private let folder: String
  /// Path for a command's output, beside the copy.
  package var log: String { "\(folder)/log" }
  /// Current contents of the files that patches have changed; nil if deleted.
  private var current: [TextBytes: [UInt8]?] = [:]
  private var sources: [TextBytes: [UInt8]] = [:]

  /// - Parameters:
  ///   - original: the project's absolute path.
  ///   - temporary: the folder for the copy.
  ///   - run: runs a shell script, with the path of its log; an error that it throws removes the copy.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput`.
  package init(
    of original: String, in temporary: URL = FileManager.default.temporaryDirectory,
    run: (_ script: String, _ log: String) throws -> VerificationOutcome
  ) throws {
    let temporary = temporary.resolvingSymlinksInPath().path
    folder = "\(temporary)/firstlight-prune-\(UUID().uuidString)"
    // Named like the original, since SwiftPM names packages after folders.
    root = "\(folder)/tree/\(BaseName.of(original))"
    do {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        .cannotCreate, "\(folder): cannot create this folder", advice: "set TMPDIR to another one")
    }
    do {
      let outcome = try run(Self.script(from: original, to: root), log)
      if case .failed(let lines, let reason) = outcome {
        throw Failure(.inputOutput, "\(original): cannot be copied: \(lines.last ?? reason)")
      }
    } catch {
      Self.remove(folder)
      throw error
    }
    linkNeighbours(of: original)
  }

  deinit { Self.remove(folder) }

  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Patches

  /// Applies these changes, and restores all other files. Unchanged files keep their modification
  /// times.
  package func apply(_ changes: [FileChange]) throws(Failure) {
    var wanted: [TextBytes: [UInt8]?] = sources.mapValues { $0 }
    for change in changes {
      sources[change.path] = change.source
      wanted[change.path] = .some(change.result)
    }
    for (path, bytes) in wanted {
      guard (current[path] ?? sources[path]) != bytes else { continue }
      let file = "\(root)/\(path)"
      if let bytes {
        try ResultFile.write(bytes, to: file)
      } else {
        unlink(file)
      }
      current[path] = .some(bytes)
    }
  }

  // MARK: Copying

  /// Git's objects never change, since they are named by hashes of their contents: they are linked.
  private static func script(from: String, to: String) -> String {
    """
    cd \(Escaping.shellWord(from)) && copy=\(Escaping.shellWord(to)) || exit
    if [ -d .git/objects ]; then
      mkdir "$copy/.git" && { cp -al .git/objects "$copy/.git" 2>/dev/null ||
        cp -a .git/objects "$copy/.git"; } || exit
    fi
    set --
    while IFS= read -r built; do
      [ -n "$built" ] || continue
      if [ -e "$built/CMakeLists.txt" ]; then
        for name in CMakeCache.txt CMakeFiles Makefile build.ninja; do
          set -- "$@" -o -path "$built/$name" -prune
        done
      else
        set -- "$@" -o -path "$built" -prune
      fi
    done <<END
    $(find . -name '.build-*' -prune -o -name CMakeCache.txt -printf '%h\\n')
    END
    { find . -name '.build-*' -prune -o -path './.git/objects' -prune \
      "$@" \
      -o -path '*/.build/*' ! -path '*/.build/checkouts*' ! -path '*/.build/repositories*' \
        ! -path '*/.build/workspace-state.json' -prune \
      -o \\( -type f -o -type d -o -type l \\) -print0 |
      tar --format=posix --null --no-recursion -T - -cf - || kill $$; } | tar -C "$copy" -xpf - || exit
    find "$copy" -path "$copy/.git/objects" -prune -o -type l -exec sh -c '
      from=$1 copy=$2; shift 2
      for link; do
        target=$(readlink -f -- "$link")
        case $target/ in "$from"/*) ln -sfn -- "$copy${target#"$from"}" "$link" || exit ;; esac
      done' sh "$(pwd -P)" "$copy" '{}' +
    """
  }

  /// Links neighbouring packages that the manifest names by `../`.
  private func linkNeighbours(of original: String) {
    guard let manifest = try? TextFile.read("\(original)/Package.swift"),
      let end = original.lastIndex(ofUTF8: "/")
    else { return }
    for match in manifest.matches(of: /"\.\.\/([^"\/]+)/) {
      symlink("\(original[..<end])/\(match.1)", "\(folder)/tree/\(match.1)")
    }
  }
}
