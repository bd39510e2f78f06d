import FirstlightModel
import FleetAPI
import FleetModel
import HTTPTransport
import SpoolIntake

/// Another firstlightd, over HTTP.
struct UpstreamSink: FleetSink {
  let name: String
  private let token: String?
  private let transport: HTTPTransport
  /// Of batches that were being read.
  private let journal: WorkJournal

  init(
    url: String, token: String?, transport: HTTPTransport, journal: WorkJournal
  ) throws(Failure) {
    self.token = token
    self.transport = transport
    self.journal = journal
    name = try FleetClient(url: url, token: token, transport: transport).url
  }

  func deliver(_ batch: [UInt8], traces: Int) async throws(DeliveryError) -> IngestReceipt {
    let checked: CheckedBatch
    do throws(Failure) { checked = try check(batch) } catch { throw .refused(error) }
    let client: FleetClient
    // Looked up each time: a daemon of this machine may make its token later than we start.
    do throws(Failure) {
      client = try FleetClient(
        url: name, token: token ?? LocalToken.find(for: name), transport: transport)
    } catch { throw .failed(error) }
    var receipt = IngestReceipt()
    for part in 0..<checked.partCount {
      let traces: [FleetTrace]
      do throws(Failure) { traces = Self.anonymous(try checked.traces(ofPart: part)) } catch {
        throw .refused(error)
      }
      do throws(UploadError) { receipt.add(try await client.upload(traces)) } catch {
        throw error.isRefusal ? .refused(error.failure) : .failed(error.failure)
      }
    }
    return receipt
  }

  private func check(_ batch: [UInt8]) throws(Failure) -> CheckedBatch {
    guard journal.begin(BatchIntake.name(of: batch)) else { throw BatchIntake.refusal }
    defer { journal.end() }
    return try CheckedBatch(batch)
  }

  /// Where programs lie on this host is nobody else's business.
  private static func anonymous(_ traces: [FleetTrace]) -> [FleetTrace] {
    traces.map { trace in
      var trace = trace
      for place in trace.images.indices {
        trace.images[place].name =
          BaseName.of(trace.images[place].name)
      }
      return trace
    }
  }
}
