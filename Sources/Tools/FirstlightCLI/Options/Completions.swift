import ArgumentParser
import FirstlightModel
import ProfileFile
import Recording

/// What a shell offers where a word of the command line is completed.
extension CompletionKind {
  static let profile = file(extensions: [ProfileFile.pathExtension])

  /// The binaries in the profiles that the command line names so far.
  static let image = fromProfiles { profile in
    profile.builds.map(\.build.name)
  }

  /// The Swift modules in those profiles or, for other languages, the binaries.
  static let module = fromProfiles { profile in
    profile.builds.flatMap { recorded in
      recorded.build.functions.map { $0.module.isEmpty ? recorded.build.name : $0.module }
    }
  }

  /// A profile that cannot be read offers nothing: a message would land in the user's prompt.
  private static func fromProfiles(
    _ words: @escaping @Sendable (Profile) -> [String]
  ) -> CompletionKind {
    custom { line, _, _ in
      let paths = line.filter { $0.hasSuffix("." + ProfileFile.pathExtension) }
      let found = paths.flatMap { path in (try? ProfileFile.readSums(path)).map(words) ?? [] }
      return Set(found).sorted()
    }
  }
}
