import FirstlightIndexStore
import FirstlightModel
import Glibc

/// An index that swiftc and clang wrote beside a build.
package struct IndexStore: Sendable {
  private let library: IndexStoreLibrary
  package let path: String
  /// All compilations it knows that later ones do not replace.
  package let units: [IndexUnit]

  /// Reads which files it covers. Fails with `.data` if it is damaged.
  ///
  /// - Parameter path: as `IndexStoreLocation` gives it.
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
    let child = IndexChild { fl_index_send_units(library.functions, path, $0) }
    guard let child else { throw Failure(.system, "cannot start a process to read \(path)") }
    var units: [IndexUnit] = []
    do {
      while var frame = child.next() {
        guard frame.kind == FL_INDEX_UNIT.rawValue else {
          _ = try frame.number()
          throw damaged(path, try frame.text())
        }
        units.append(try IndexUnit(&frame))
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw damaged(path, "unit \(units.count + 1) is malformed")
    }
    guard child.isDone else { throw damaged(path, "unit \(units.count + 1) cannot be read") }
    return current(newest(units))
  }

  /// A unit is named for its output file by the compiler that wrote it; another may name it otherwise.
  static func newest(_ units: [IndexUnit]) -> [IndexUnit] {
    var places: [String: Int] = [:]
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

  /// Without those of objects that are gone, if their source changed and was compiled since. A compiler
  /// that also links names its objects anew each time, so that nothing ever replaces their units.
  ///
  /// - Parameter time: when a file was last written.
  static func current(
    _ units: [IndexUnit], time: (String) -> Int? = IndexFreshness.time
  ) -> [IndexUnit] {
    var latest: [String: Int] = [:]
    for unit in units { latest[unit.mainFile] = max(latest[unit.mainFile] ?? 0, unit.time) }
    return units.filter { unit in
      guard let last = latest[unit.mainFile], unit.time < last, let source = time(unit.mainFile),
        unit.time < source, source <= last
      else { return true }
      return time(unit.outputFile) != nil
    }
  }

  /// Who refers to whom in the files it covers, without the system's.
  ///
  /// - Parameter isWanted: whether a compilation is to be read.
  package func references(
    where isWanted: (IndexUnit) -> Bool = { _ in true }
  ) throws(Failure) -> ReferenceIndex {
    var builder = ReferenceIndexBuilder()
    var records: [(name: String, file: Int)] = []
    var known: Set<String> = []
    for unit in units where !unit.isSystem && isWanted(unit) {
      for record in unit.records where known.insert(record.name).inserted {
        let isMain = record.file == unit.mainFile
        records.append(
          (record.name, builder.file(record.file, module: isMain ? unit.module : "")))
      }
    }
    try read(records, into: &builder)
    return builder.build()
  }

  private func read(
    _ records: [(name: String, file: Int)], into builder: inout ReferenceIndexBuilder
  ) throws(Failure) {
    guard !records.isEmpty else { return }
    let names = records.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    let pointers = names.map { UnsafePointer<CChar>($0) }
    let count = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)), records.count / 16))
    var children: [IndexChild] = []
    for first in 0..<count {
      let child = pointers.withUnsafeBufferPointer { pointers in
        IndexChild {
          fl_index_send_records(
            library.functions, path, pointers.baseAddress!, records.count, first, count, $0)
        }
      }
      guard let child else { throw Failure(.system, "cannot start a process to read \(path)") }
      children.append(child)
    }
    var reader = IndexRecordReader()
    for turn in records.indices {
      let name = records[turn].name
      do {
        guard var frame = children[turn % count].next() else {
          throw Self.damaged(path, "record \(name) cannot be read")
        }
        guard Int(try frame.number()) == turn else { throw IndexFrame.Damaged() }
        guard frame.kind == FL_INDEX_RECORD.rawValue else {
          throw Self.damaged(path, "record \(name): \(try frame.text())")
        }
        try reader.read(&frame, file: records[turn].file, into: &builder)
      } catch let failure as Failure {
        throw failure
      } catch {
        throw Self.damaged(path, "record \(name) is malformed")
      }
    }
  }
}
