import FirstlightModel
import Glibc
import SystemSupport

/// The machine that a program is built for. The kernel may run a program of another machine in an
/// emulator (binfmt_misc): a tracer would then see only the emulator.
enum ProgramMachine {
  #if arch(x86_64)
    private static let own: UInt16 = 62
    /// i386, which the kernel runs natively.
    private static let narrow: UInt16 = 3
  #elseif arch(arm64)
    private static let own: UInt16 = 183
    private static let narrow: UInt16 = 40
  #endif

  /// Names of `e_machine` values on servers (the generic ABI's list).
  private static let names: [UInt16: String] = [
    3: "i386", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64",
    243: "riscv", 258: "loongarch",
  ]

  /// The program's machine, if it differs from this one; nil also if the file is not ELF, or cannot
  /// be read.
  ///
  /// - Parameter command: looked up as exec would.
  static func foreign(_ command: String) -> String? {
    guard let path = try? ProgramPath.find(command) else { return nil }
    let header = FileStart.bytes(of: path)
    guard header.count >= 20, FileStart.isELF(header) else { return nil }
    let isBigEndian = header[5] == 2
    let machine =
      UInt16(header[isBigEndian ? 19 : 18]) | UInt16(header[isBigEndian ? 18 : 19]) << 8
    return machine == own || machine == narrow ? nil : names[machine] ?? "ELF machine \(machine)"
  }

  static var ownName: String { names[own] ?? "" }
}

extension Failure {
  /// The failure for a program of another machine, which would run in an emulator; nil for others.
  package static func foreignProgram(_ command: String) -> Failure? {
    guard let machine = ProgramMachine.foreign(command) else { return nil }
    return Failure(
      .notExecutable,
      "\(command): built for \(machine), and this machine is \(ProgramMachine.ownName): only an "
        + "emulator could be traced",
      advice: "build it for this machine, or record it there or with guards")
  }
}
