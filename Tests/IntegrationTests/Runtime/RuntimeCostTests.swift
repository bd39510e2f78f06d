import Foundation
import TestSupport
import Testing

/// What is repeatable of the runtime's cost: instructions, as callgrind counts them.
@Suite struct RuntimeCostTests {
  #if arch(x86_64)
    @Test(.onlyNative("counts instructions of the machine"))
    func theHooksInstructionsAreWithinTheirThresholds() throws {
      let script = Toolchain.project.appending(path: "Benchmarks/runtime/instructions.sh").path
      let result = try Command.run([script], environment: ["FIRSTLIGHT": Toolchain.firstlight])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(result.output.split(separator: "\n").count == 2)
    }
  #endif
}
