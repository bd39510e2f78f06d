import Testing

@testable import NeverCalled

/// Whether a project's build scripts make a library.
@Suite struct LibraryProductTests {
  private func makesLibrary(_ script: String, in file: String) -> Bool {
    var words = ProjectWords(LibraryProducts.words)
    words.add(script, of: "/p/\(file)", isCompiled: false)
    return LibraryProducts.areMade(words) { $0.hasPrefix("/p/") }
  }

  @Test(arguments: [
    ("CMakeLists.txt", "add_library(yaml src/a.c)"),
    ("cmake/Lib.cmake", "add_library(yaml src/a.c)"),
    ("Makefile", "libq.a: q.o\n\t$(AR) rcs $@ $^"), ("Makefile.linux", "\tar rcs libq.a q.o"),
    ("rules.mk", "\t$(CC) -shared -o q.so q.o"), ("Makefile.am", "lib_LTLIBRARIES = libq.la"),
    ("meson.build", "static_library('q', 'q.c')"), ("BUILD.bazel", "cc_library(name = 'q')"),
    ("build.zig", "b.addLibrary(.{})"), ("SConstruct", "env.Library('q', 'q.c')"),
    ("build.sh", "ar rcs libq.a q.o"),
  ])
  func scriptsMakeLibraries(file: String, script: String) {
    #expect(makesLibrary(script, in: file))
  }

  @Test(arguments: [
    ("CMakeLists.txt", "add_executable(app a.c)"), ("Makefile", "app: app.o -lq\n\t$(CC) $^ -lq"),
    ("Makefile.am", "noinst_LIBRARIES = libq.a"), ("meson.build", "executable('q', 'q.c')"),
    ("a.c", "int add_library(int ar);"),
  ])
  func otherScriptsDoNot(file: String, script: String) {
    #expect(!makesLibrary(script, in: file))
  }

  @Test func scriptsOfOthersDoNotCount() {
    var words = ProjectWords(LibraryProducts.words)
    words.add("add_library(q q.c)", of: "/p/third_party/CMakeLists.txt", isCompiled: false)
    #expect(!LibraryProducts.areMade(words) { !$0.contains("third_party") })
  }

  @Test func headersAreKnownByTheirEnding() {
    #expect(["a.h", "/b/a.hpp"].allSatisfy(LibraryProducts.isHeader))
    #expect(!["a.c", "h", "a.h.in"].contains(where: LibraryProducts.isHeader))
  }
}
