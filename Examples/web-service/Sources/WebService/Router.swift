import Hummingbird

/// Every route of the service.
func makeRouter(store: NoteStore) -> Router<BasicRequestContext> {
  let router = Router(context: BasicRequestContext.self)
  router.add(middleware: RequestLog())
  router.get("/health") { _, _ in HTTPResponse.Status.ok }
  NoteRoutes(store: store).add(to: router.group("/notes"))
  AdminRoutes(store: store).add(to: router.group("/admin"))
  return router
}
