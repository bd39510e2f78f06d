import FirstlightModel
import StartupCost
import Testing

@Suite struct LinkMapTests {
  @Test func lldsFormIsRead() {
    let map = LinkMap(
      """
                   VMA              LMA     Size Align Out     In      Symbol
                  11b0             11b0       3f    16 .text
                  11b0             11b0       1a    16         /lib/a b.a(x.o):(.text)
                  11b0             11b0       10     1                 first(int)
                  11d0             11d0       1f    16         /tmp/y.o:(.text._Z1fv)
                  2000             2000        4     1         <internal>:(.comment)
      """)
    #expect(
      map.sections == [
        .init(name: ".text", address: 0x11b0, size: 0x1a, file: "/lib/a b.a"),
        .init(name: ".text._Z1fv", address: 0x11d0, size: 0x1f, file: "/tmp/y.o"),
        .init(name: ".comment", address: 0x2000, size: 4, file: "<internal>"),
      ])
  }

  @Test func theFormOfGNULinkersIsRead() {
    let map = LinkMap(
      """
      .text           0x0000000000001040      0x1f3
       *(.text.unlikely .text.*_unlikely .text.unlikely.*)
       .text          0x0000000000001040       0x22 /usr/lib/Scrt1.o
                      0x0000000000001040                _start
       .text._ZN4some4long4nameEv
                      0x0000000000001070       0x10 /lib/liba.a(b.o)
      """)
    #expect(
      map.sections == [
        .init(name: ".text", address: 0x1040, size: 0x22, file: "/usr/lib/Scrt1.o"),
        .init(
          name: ".text._ZN4some4long4nameEv", address: 0x1070, size: 0x10, file: "/lib/liba.a"),
      ])
  }

  @Test func sectionsWithSeveralFunctionsAreSummedByFile() {
    let map = LinkMap(
      """
      100 100 40 16 a.a(x.o):(.text)
      140 140 20 16 a.a(y.o):(.text)
      160 160 10 16 z.o:(.text.f)
      170 170 30 16 w.o:(.text.startup)
      900 900 30 16 data.o:(.text)
      """)
    let code = BinarySection(
      name: ".text", address: 0x100, offset: 0, size: 0x100, isLoaded: true, isWritable: false,
      isExecutable: true, isInFile: true)
    let unsplit = UnsplitText(
      map, functionStarts: [0x100, 0x110, 0x140, 0x150, 0x15f, 0x160, 0x170, 0x910, 0x920],
      code: [code])
    #expect(unsplit.sections == 2)
    #expect(unsplit.functions == 5)
    #expect(unsplit.files == [.init(file: "a.a", functions: 5, bytes: 0x60)])
  }

  @Test func whatIsNoMapHoldsNothing() {
    for text in ["", "\n\n", ":(", "a b c d :()", " .text 0x 0x ) (", "100 100 zz 16 a:(.text)"] {
      #expect(LinkMap(text).sections.isEmpty)
    }
  }
}
