import ArgumentParser
import FirstlightModel
import ProfileFile
import Recording

/// Completions that a shell offers for a word of the command line.
extension CompletionKind {
  static let profile = file(extensions: [ProfileFile.pathExtension])

  /// The binaries in the profiles on the command line so far.
  static let image = fromProfiles { profile in
    profile.builds.map(\.build.name)
  }

  /// The Swift modules in those profiles or, for other languages, the binaries.
  static let module = fromProfiles { profile in
    profile.builds.flatMap { recorded in
      recorded.build.guarded.map { $0.module.isEmpty ? recorded.build.name : $0.module }
    }
  }

  /// Offers nothing for an unreadable profile, because a message would appear in the user's prompt.
  private static func fromProfiles(
    _ words: @escaping @Sendable (Profile) -> [String]
  ) -> CompletionKind {
    custom { line, _, _ in
      let paths = line.filter { $0.ends(with: "." + ProfileFile.pathExtension) }
      let found = paths.flatMap { path in (try? ProfileFile.readSums(path)).map(words) ?? [] }
      return Set(found).sorted()
    }
  }
}
