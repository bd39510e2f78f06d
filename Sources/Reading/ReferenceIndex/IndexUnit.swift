import FirstlightIndexStore
import FirstlightModel

/// One compilation's data in an index: a source file and its records.
package struct IndexUnit: Hashable, Sendable {
  /// A compiler's data about one file.
  package struct Record: Hashable, Sendable {
    package var name: String
    /// The record's file: the main file, or a header.
    package var file: String
  }

  package var name: String
  /// An absolute path; empty if there is none, as in modules.
  package var mainFile: String
  /// The Swift module; empty in other languages.
  package var module: String
  /// The object file.
  package var outputFile: String
  /// Time of writing, nanoseconds since 1970.
  package var time: Int
  var isSystem: Bool
  /// The records, except those of system headers.
  package var records: [Record]

  package init(
    name: String, mainFile: String, module: String, outputFile: String, time: Int,
    isSystem: Bool = false, records: [Record]
  ) {
    self.name = name
    self.mainFile = mainFile
    self.module = module
    self.outputFile = outputFile
    self.time = time
    self.isSystem = isSystem
    self.records = records
  }

  /// - Parameter reader: the reader of a unit; owned by the caller.
  init(name: String, _ reader: ix_object, _ library: fl_index_library) {
    var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
    library.unit_reader_get_modification_time(reader, &seconds, &nanoseconds)
    time = Int(seconds) &* 1_000_000_000 &+ Int(nanoseconds)
    isSystem = library.unit_reader_is_system_unit(reader)
    self.name = name
    module = library.unit_reader_get_module_name(reader).string
    let folder = library.unit_reader_get_working_dir(reader).string
    func absolute(_ path: String) -> String {
      path.isEmpty ? path : SourcePath.normal(path.begins(with: "/") ? path : folder + "/" + path)
    }
    mainFile = absolute(library.unit_reader_get_main_file(reader).string)
    outputFile = absolute(library.unit_reader_get_output_file(reader).string)
    let dependencies = Dependencies(library)
    _ = library.unit_reader_dependencies_apply_f(
      reader, Unmanaged.passUnretained(dependencies).toOpaque()
    ) { context, dependency in
      Unmanaged<Dependencies>.fromOpaque(context!).takeUnretainedValue().add(dependency!)
      return true
    }
    records = dependencies.records.map { Record(name: $0.name, file: absolute($0.file)) }
  }

  /// Collects the records of a unit, without the system headers' records, which are the majority.
  private final class Dependencies {
    private let library: fl_index_library
    private(set) var records: [Record] = []

    init(_ library: fl_index_library) { self.library = library }

    func add(_ dependency: ix_object) {
      guard library.unit_dependency_get_kind(dependency) == Int32(IX_DEPENDENCY_IS_RECORD),
        !library.unit_dependency_is_system(dependency)
      else { return }
      records.append(
        Record(
          name: library.unit_dependency_get_name(dependency).string,
          file: library.unit_dependency_get_filepath(dependency).string))
    }
  }
}
