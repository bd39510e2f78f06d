/// Page sizes in bytes.
package enum PageSize {
  /// The default page size of reports and orders, whatever the machine's own (`HostInfo.pageSize`):
  /// that of x86-64, and the smallest one on other machines.
  @inlinable package static var reported: UInt64 { 4096 }
}
