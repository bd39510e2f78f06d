/// Sizes of pages, bytes.
package enum PageSize {
  /// Of the pages that reports count and that orders are made for unless somebody says otherwise, whatever
  /// the machine's own are (`HostInfo.pageSize`): those of x86-64, and the smallest of other machines.
  @inlinable package static var reported: UInt64 { 4096 }
}
