import Testing

@testable import NeverCalled

@Suite struct SystemHeaderTests {
  @Test(arguments: [
    "/usr/include/c++/12/bits/basic_string.h",
    "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/deque.tcc",
    "/usr/include/x86_64-linux-gnu/bits/stdlib-float.h",
    "/opt/toolchain/usr/lib/clang/21/include/immintrin.h",
    "/usr/lib/llvm-19/include/c++/v1/vector",
  ])
  func nobodyWroteThemInTheProgram(path: String) { #expect(SystemHeaders.hold(path)) }

  @Test(arguments: [
    "/home/me/app/include/queue.h", "/usr/local/include/mine.h", "/usr/src/app/main.cc",
    "src/usr/include/a.h", "include/c++/a.h", "",
  ])
  func othersAreTheProgramsOwn(path: String) { #expect(!SystemHeaders.hold(path)) }
}
