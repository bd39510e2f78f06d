import Foundation
import Testing

/// The machine that test programs in C are built for. Scripts/test-arm64 has them built for arm64: then
/// the kernel starts them with qemu, as it starts any other program.
package enum ProgramTarget {
  /// As LLVM names it; nil: the machine itself.
  private static let triple = ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_TARGET"]

  package static let isNative = triple == nil

  /// The compiler whose entry hooks take the place of guards in tests of the runtime, gcc or clang; nil: guards.
  package static let hooks = ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_HOOKS"]

  /// The compiler of test programs in C.
  package static let compiler = hooks ?? "clang"

  /// What compilers are told to build for it.
  package static let options = triple.map { ["--target=\($0)"] } ?? []

  /// The runtime that is linked into programs for it.
  package static let runtime =
    ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_RUNTIME"]
    ?? Toolchain.products.appending(path: "libfirstlight_rt.a").path

  /// The words of `firstlight flags` for entry hooks. Functions of test programs that have no guards get no
  /// hooks either.
  package static func entryHookFlags(of compiler: String) throws -> [String] {
    try adapt(
      Toolchain.words(["flags", compiler] + (compiler == "clang" ? ["--entry-hooks"] : [])))
      + ["-Dno_sanitize(what)=no_instrument_function"]
  }

  /// The words of `firstlight flags clang`, for the target.
  static func adapt(_ flags: [String]) -> [String] {
    guard !isNative else { return flags }
    return options + flags.map { $0.hasSuffix("/libfirstlight_rt.a") ? runtime : $0 }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test that has no meaning where programs are emulated.
  package static func onlyNative(_ reason: String) -> Self {
    .enabled(if: ProgramTarget.isNative, "not under emulation: \(reason)")
  }
}
