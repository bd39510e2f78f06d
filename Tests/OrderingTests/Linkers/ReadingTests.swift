import FirstlightModel
import Ordering
import Testing

/// What is read: orders, and linkers' maps.
@Suite struct ReadingTests {
  @Test(arguments: [
    "# comment\nmain\n$s4main1fyyF\n", "# comment\n\n.text.main\r\n.text.$s4main1fyyF\n",
    "/* comment */\n.text : {\n  *(.text.main)\n  *(\".text.$s4main1fyyF\")\n}\n",
    "  main  \n$s4main1fyyF",
  ])
  func eachFormatIsReadBack(text: String) {
    #expect(OrderFile.names(text) == ["main", "$s4main1fyyF"])
  }

  @Test func lldsMapIsRead() {
    let sections = LinkMap.inputSections(
      """
                   VMA              LMA     Size Align Out     In      Symbol
                  15f0             15f0      111    16 .text
                  1700             1700       20    16         a dir/lib.a(z.o):(.text)
                  1700             1700        1     1                 z
                  16e0             16e0        b    16         m.o:(.text.main)
      """)
    #expect(
      sections == [
        InputSection(addresses: 0x16e0..<0x16eb, file: "m.o", name: ".text.main"),
        InputSection(addresses: 0x1700..<0x1720, file: "a dir/lib.a(z.o)", name: ".text"),
      ])
  }

  @Test func gnuMapsAreRead() {
    let sections = LinkMap.inputSections(
      """
       .text          0x0000000000001040       0x22 /lib/Scrt1.o
       .text          0x0000000000001062        0x0 /lib/crti.o
       .text.a_name_too_long_for_its_column
                      0x0000000000001130       0x21 lib.a(m.o)
                      0x0000000000001130                b
       *fill*         0x0000000000001151        0xf
      """)
    #expect(
      sections == [
        InputSection(addresses: 0x1040..<0x1062, file: "/lib/Scrt1.o", name: ".text"),
        InputSection(
          addresses: 0x1130..<0x1151, file: "lib.a(m.o)",
          name: ".text.a_name_too_long_for_its_column"),
      ])
  }

  @Test(arguments: [
    "", "\n\n", ":(", "a b c d :()", " .text 0x 0x ) (", "100 100 zz 16 a:(.text)", "(((\n",
    " .\n 0x 0x 0x\n", "ffffffffffffffff 0 2 1 x:(y)\n", "1 1 1 1 :(",
  ])
  func damagedMapsAreNoTrouble(text: String) {
    #expect(LinkMap.inputSections(text).count <= 1)
  }
}
