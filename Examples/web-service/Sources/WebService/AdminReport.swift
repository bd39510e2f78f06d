import Hummingbird

/// `GET /admin/report`: how many notes, how long. The demo never asks for it, so its functions are
/// on the never-called list.
struct AdminRoutes<Context: RequestContext>: Sendable {
  let store: NoteStore

  func add(to group: RouterGroup<Context>) {
    group.get("report", use: report)
  }

  @Sendable private func report(
    _ request: Request, context: Context
  ) async throws -> AdminReport {
    AdminReport(notes: await store.all())
  }
}

struct AdminReport: ResponseEncodable {
  let count: Int
  let longest: Int
  let averageLength: Double

  init(notes: [Note]) {
    let lengths = notes.map(\.text.count)
    count = lengths.count
    longest = lengths.max() ?? 0
    averageLength = lengths.isEmpty ? 0 : Double(lengths.reduce(0, +)) / Double(lengths.count)
  }
}
