import CElfutils
import FirstlightModel

/// Names of relocation kinds from the processors' ABI supplements.
enum RelocationKind {
  static func name(_ kind: UInt32, machine: UInt16) -> String {
    let isArm = machine == ELFFile.aarch64
    let known = (isArm ? aarch64 : amd64)[Int32(bitPattern: kind)]
    return (isArm ? "R_AARCH64_" : "R_X86_64_") + (known ?? "\(kind)")
  }

  static func relative(machine: UInt16) -> String {
    machine == ELFFile.aarch64 ? "R_AARCH64_RELATIVE" : "R_X86_64_RELATIVE"
  }

  private static let amd64: [Int32: String] = [
    R_X86_64_64: "64", R_X86_64_COPY: "COPY", R_X86_64_GLOB_DAT: "GLOB_DAT",
    R_X86_64_JUMP_SLOT: "JUMP_SLOT", R_X86_64_RELATIVE: "RELATIVE", R_X86_64_DTPMOD64: "DTPMOD64",
    R_X86_64_DTPOFF64: "DTPOFF64", R_X86_64_TPOFF64: "TPOFF64", R_X86_64_TLSDESC: "TLSDESC",
    R_X86_64_IRELATIVE: "IRELATIVE",
  ]
  private static let aarch64: [Int32: String] = [
    R_AARCH64_ABS64: "ABS64", R_AARCH64_COPY: "COPY", R_AARCH64_GLOB_DAT: "GLOB_DAT",
    R_AARCH64_JUMP_SLOT: "JUMP_SLOT", R_AARCH64_RELATIVE: "RELATIVE",
    R_AARCH64_TLS_DTPMOD: "TLS_DTPMOD64", R_AARCH64_TLS_DTPREL: "TLS_DTPREL64",
    R_AARCH64_TLS_TPREL: "TLS_TPREL64", R_AARCH64_TLSDESC: "TLSDESC",
    R_AARCH64_IRELATIVE: "IRELATIVE",
  ]
}
