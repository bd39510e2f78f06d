import Recording
import Testing

@Suite struct RuntimeLibraryTests {
  @Test(
    arguments: [
      ("libc.so.6", .system), ("ld-linux-x86-64.so.2", .system), ("ld-musl-aarch64.so.1", .system),
      ("libc.musl-x86_64.so.1", .system), ("ld64.so.2", .system), ("libm.so.6", .companion),
      ("libpthread.so.0", .companion), ("libgcc_s.so.1", .companion),
      ("libstdc++.so.6", .companion),
      ("libc++abi.so.1", .companion), ("libnss_dns.so.2", .companion),
      ("libclang_rt.asan-x86_64.so", .companion), ("libswiftCore.so", .swift),
      ("libswift_Concurrency.so", .swift), ("libFoundationEssentials.so", .swift),
      ("lib_FoundationICU.so", .swift), ("libdispatch.so", .swift), ("libz.so.1", nil),
      ("libcurl.so.4", nil), ("libmagic.so.1", nil), ("libdlib.so", nil), ("libldap-2.5.so.0", nil),
      ("libcrypt.so.1", nil), ("program", nil),
    ] as [(String, RuntimeLibrary?)])
  func runtimesAreKnownByName(file: String, runtime: RuntimeLibrary?) {
    #expect(RuntimeLibrary(file) == runtime)
  }
}
