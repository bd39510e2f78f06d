extension Function {
  /// What a function is grouped by: its Swift module; for other languages, its image's file name.
  package func moduleName(in build: Build) -> String {
    module.isEmpty ? build.name : module
  }
}
