import FirstlightIndexStore
import FirstlightModel
import Glibc
import SystemSupport

/// An index that swiftc and clang wrote during a build.
package struct IndexStore: Sendable {
  private let library: IndexStoreLibrary
  package let path: String
  /// All compilations in the store, except those that later ones replace.
  package let units: [IndexUnit]

  /// Reads the list of indexed files. Fails with `.data` if the store is damaged.
  ///
  /// - Parameter path: a path from `IndexStoreLocation`.
  package init(_ path: String, _ library: IndexStoreLibrary) throws(Failure) {
    self.path = path
    self.library = library
    units = try Self.units(path, library)
  }

  private static func damaged(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): damaged index: \(what)", advice: "remove it and build again")
  }

  private static func units(
    _ path: String, _ library: IndexStoreLibrary
  ) throws(Failure) -> [IndexUnit] {
    let functions = library.functions
    let store = try open(path, functions)
    defer { functions.store_dispose(store) }
    let names = Names()
    _ = functions.store_units_apply_f(store, 1, Unmanaged.passUnretained(names).toOpaque()) {
      Unmanaged<Names>.fromOpaque($0!).takeUnretainedValue().all.append($1.string)
      return true
    }
    var units: [IndexUnit] = []
    for name in names.all {
      var error: ix_object?
      guard let reader = functions.unit_reader_create(store, name, &error) else {
        throw damaged(path, functions.description(error) ?? "unit \(name) is unreadable")
      }
      units.append(IndexUnit(name: name, reader, functions))
      functions.unit_reader_dispose(reader)
    }
    return current(newest(units))
  }

  private final class Names {
    var all: [String] = []
  }

  private static func open(
    _ path: String, _ functions: fl_index_library
  ) throws(Failure) -> ix_object {
    var error: ix_object?
    guard let store = functions.store_create(path, &error) else {
      throw damaged(path, functions.description(error) ?? "not an index store")
    }
    return store
  }

  /// Keeps the newest unit of each output file: compilers may name units for one output file differently.
  static func newest(_ units: [IndexUnit]) -> [IndexUnit] {
    var places: [TextBytes: Int] = [:]
    var kept: [IndexUnit] = []
    for unit in units {
      guard !unit.outputFile.isEmpty else {
        kept.append(unit)
        continue
      }
      let key = unit.outputFile + "\0" + unit.mainFile
      if let place = places[key] {
        if kept[place].time < unit.time { kept[place] = unit }
      } else {
        places[key] = kept.count
        kept.append(unit)
      }
    }
    return kept
  }

  /// Removes units of deleted objects whose source has changed and was compiled again. A compiler
  /// that also links names its objects differently each time, so nothing ever replaces their units.
  ///
  /// - Parameter time: returns a file's modification time.
  static func current(
    _ units: [IndexUnit], time: (String) -> Int? = FileTime.changed
  ) -> [IndexUnit] {
    var latest: [TextBytes: Int] = [:]
    for unit in units { latest[unit.mainFile] = max(latest[unit.mainFile] ?? 0, unit.time) }
    return units.filter { unit in
      guard let last = latest[unit.mainFile], unit.time < last, let source = time(unit.mainFile),
        unit.time < source, source <= last
      else { return true }
      return time(unit.outputFile) != nil
    }
  }

  /// The references between symbols in the indexed files, without system files.
  ///
  /// - Parameter isWanted: whether to read a compilation.
  package func references(
    where isWanted: (IndexUnit) -> Bool = { _ in true }
  ) throws(Failure) -> ReferenceIndex {
    let functions = library.functions
    let store = try Self.open(path, functions)
    defer { functions.store_dispose(store) }
    let reader = IndexRecordReader(store, functions)
    var known: Set<TextBytes> = []
    for unit in units where !unit.isSystem && isWanted(unit) {
      for record in unit.records where known.insert(record.name).inserted {
        let module = record.file == unit.mainFile ? unit.module : ""
        let file = reader.build { $0.file(record.file, module: module) }
        do throws(IndexRecordReader.Problem) { try reader.read(record.name, file: file) } catch {
          throw Self.damaged(path, "record \(record.name): \(error.text)")
        }
      }
    }
    return reader.finish()
  }
}
