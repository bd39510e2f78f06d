import Glibc
import Testing

@testable import SystemSupport

@Suite struct ProcTests {
  @Test func aProgramsNameMayHoldAnything() throws {
    let fields = "R 1 2 3 4 5 6 70 8 90 10 11 12 13 14 15 16 3 18 1234 20"
    let stat = try #require(ProcessStat("7 (a) Z (b)) \(fields)"))
    #expect(stat.state == "R")
    #expect(stat.minorFaults == 70 && stat.majorFaults == 90)
    #expect(stat.threadCount == 3)
    #expect(stat.startTime == 1234)
    #expect(ProcessStat("7 (a") == nil)
  }

  @Test func thisProcessIsInTheTable() throws {
    let start = try #require(LiveProcess(getpid())?.startTime)
    #expect(start == ProcessStat(of: getpid())?.startTime)
    #expect(ProcessTable.users(of: UInt32(getpid()))?.first == getuid())
    #expect(LiveProcess(0) == nil)
    #expect(try #require(ProcessTable.bootTime) < time(nil))
  }

  @Test func aLineIsFoundByItsBeginning() {
    #expect(ProcFile.line(of: "/proc/self/status", beginning: "Pid:") == "Pid:\t\(getpid())")
    #expect(ProcFile.line(of: "/proc/self/status", beginning: "id:") == nil)
    #expect(ProcFile.line(of: "/proc/0/status", beginning: "Pid:") == nil)
  }

  @Test func aPortIsOpenAsLongAsSomethingListens() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0)
      }
    }
    let port = ListeningPort(Int(UInt16(bigEndian: address.sin_port)))
    #expect(!port.isOpen())
    #expect(listen(listener, 1) == 0)
    #expect(port.isOpen())
    #expect(port.listeners(.v4).map(\.address) == ["0100007F"])
    #expect(port.listeners(.v4).map(\.user) == [getuid()])
    #expect(port.listeners(.v6).isEmpty)
    close(listener)
    #expect(!port.isOpen())
  }

  @Test func aMappedFileHasItsPages() throws {
    let own = ProcessMapping.all(of: "self")
    #expect(own.contains { $0.path == "[vdso]" })
    let code = try #require(own.first { $0.inode != 0 && !$0.isWritable })
    #expect(ProcessMapping.files(of: "self").contains(code.path))
    guard let pages = ProcessPages(of: "self") else {
      Issue.record("our own page table cannot be read")
      return
    }
    #expect(pages.entries(code.range).count == code.range.count / Int(HostInfo.pageSize))
  }
}
