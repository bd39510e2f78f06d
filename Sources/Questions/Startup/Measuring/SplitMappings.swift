import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// Makes each page of a binary a separate mapping, in a program that is stopped right after its exec.
///
/// When a program touches a page, the kernel also maps pages around it, within the same mapping (fault-around,
/// 64 KiB). With mappings of one page, the page table shows exactly the touched pages.
enum SplitMappings {
  /// - Returns: whether this succeeded. It needs a CPU architecture that the launcher knows, and the kernel
  ///   limits the number of mappings.
  static func make(in pid: pid_t, of binary: MeasuredBinary) -> Bool {
    let page = UInt64(HostInfo.pageSize)
    let mappings = ProcessMapping.all(of: "\(pid)")
    let own = mappings.filter { $0.path == binary.cache.path }
    let pages = own.reduce(0) { $0 + ($1.range.upperBound - $1.range.lowerBound) / page }
    guard pages > 0, pages <= mostMappings, let instruction = systemCall(in: mappings, of: pid)
    else { return false }
    for mapping in own {
      // Marks every other page as not for core dumps. The kernel then keeps neighbours as separate
      // mappings, and the program notices nothing.
      for address in stride(
        from: mapping.range.lowerBound, to: mapping.range.upperBound, by: Int(2 * page))
      where fl_trace_advise(pid, instruction, address, page, MADV_DONTDUMP) != 0 {
        return false
      }
    }
    return true
  }

  /// Less than the default of vm.max_map_count (65,530), to leave room for the program's own mappings.
  private static let mostMappings: UInt64 = 60000

  /// Address of a system call instruction in the vDSO, which is mapped in every process and belongs to no file.
  private static func systemCall(in mappings: [ProcessMapping], of pid: pid_t) -> UInt64? {
    guard fl_syscall_instruction_size > 0,
      let vdso = mappings.first(where: { $0.path == "[vdso]" })
    else { return nil }
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    var code = [UInt8](
      repeating: 0, count: Int(min(vdso.range.upperBound - vdso.range.lowerBound, 65536)))
    let count = pread(memory, &code, code.count, Int(vdso.range.lowerBound))
    let wanted = withUnsafeBytes(of: fl_syscall_instruction) {
      Array($0.prefix(Int(fl_syscall_instruction_size)))
    }
    guard count > wanted.count else { return nil }
    for start in 0...(count - wanted.count) where code[start...].starts(with: wanted) {
      return vdso.range.lowerBound + UInt64(start)
    }
    return nil
  }
}
