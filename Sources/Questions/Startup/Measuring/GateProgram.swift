import DebugInfo
import FirstlightModel
import Glibc
import Recording
import SystemSupport

/// A program that a gate measures, with the contents of its start-up.
struct GateProgram {
  let binary: MeasuredBinary
  let inventory: StartupInventory
  let order: StartupBaseline.Order?

  /// - Parameters:
  ///   - mapped: files that the program had mapped at readiness.
  ///   - order: path of the order with which it was linked; nil: none.
  init(_ binary: MeasuredBinary, mapped: [String], order: String?) throws(Failure) {
    self.binary = binary
    // The program itself opened the files that are mapped but not needed.
    let later = mapped.filter { FileStart.isELF(FileStart.bytes(of: $0)) }
    inventory = StartupInventory(LibrarySearch.graph(binary.facts, later: later))
    self.order = try order.map { path throws(Failure) in
      let names = try OrderNames.read(path)
      let verification = try LinkedOrder.verify(
        names, in: binary.path, map: nil, pageSize: HostInfo.pageSize)
      return StartupBaseline.Order(path: path, hitRate: verification.hitRate)
    }
  }
}
