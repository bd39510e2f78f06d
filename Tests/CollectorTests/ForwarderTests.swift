import FleetModel
import Logging
import ServiceLifecycle
import SpoolIntake
import Testing

@testable import Collector

@Suite struct ForwarderTests {
  /// A host may live for minutes: what is not due yet goes out when its daemon ends.
  @Test func whatWaitsIsSentWhenTheDaemonEnds() async throws {
    let delivered = AsyncStream<Void>.makeStream()
    let fixture = try SenderFixture(
      FakeReceiver(onDelivery: { delivered.continuation.yield() }))
    try fixture.count()
    let group = ServiceGroup(
      configuration: .init(
        // Other tests may hold up every thread.
        services: [
          Forwarder(sender: fixture.sender, wake: WakeUp(), lastDelivery: 600)
        ],
        logger: Logger(label: "test")))
    let running = Task { try await group.run() }
    for await _ in delivered.stream { break }
    // Not due for a second, by a clock that stands still.
    try fixture.count()
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(fixture.receiver.runs == 2)
    #expect(fixture.receiver.with { $0.batches.count } == 2)
  }
}
