import Hummingbird

extension Note: ResponseEncodable {}

/// List, create, get, delete; and the list once more as CSV.
struct NoteRoutes<Context: RequestContext>: Sendable {
  let store: NoteStore

  struct NewNote: Decodable {
    let text: String
  }

  func add(to group: RouterGroup<Context>) {
    group.get(use: list)
    group.post(use: create)
    group.get("export.csv", use: exportCSV)
    group.get(":id", use: get)
    group.delete(":id", use: delete)
  }

  @Sendable private func list(_ request: Request, context: Context) async throws -> [Note] {
    await store.all()
  }

  @Sendable private func create(
    _ request: Request, context: Context
  ) async throws -> EditedResponse<Note> {
    let new = try await request.decode(as: NewNote.self, context: context)
    guard !new.text.isEmpty else {
      throw HTTPError(.badRequest, message: "A note needs a text.")
    }
    return EditedResponse(status: .created, response: await store.create(text: new.text))
  }

  @Sendable private func get(_ request: Request, context: Context) async throws -> Note {
    let id = try context.parameters.require("id", as: Int.self)
    guard let note = await store.note(id: id) else {
      throw HTTPError(.notFound, message: "There is no note \(id).")
    }
    return note
  }

  @Sendable private func delete(
    _ request: Request, context: Context
  ) async throws -> HTTPResponse.Status {
    let id = try context.parameters.require("id", as: Int.self)
    return await store.remove(id: id) ? .noContent : .notFound
  }

  @Sendable private func exportCSV(_ request: Request, context: Context) async throws -> Response {
    let table = CSVExport(notes: await store.all())
    return Response(
      status: .ok, headers: [.contentType: "text/csv; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: table.text())))
  }
}
