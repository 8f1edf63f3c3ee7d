#if !PEER
import Foundation
import Measuring
import URLLoading

/// Where responses are kept while loads are measured, as the variable `CACHE` says: in `memory`, on `disk`, or `nowhere`, with no storage
/// for cookies and credentials either. Without it as a session without a disk does.
struct Kept {
  private let place: String?
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kept-\(UUID().uuidString)")

  init() throws {
    place = ProcessInfo.processInfo.environment["CACHE"]
    guard let place, !["memory", "disk", "nowhere"].contains(place) else { return }
    throw Work.Misuse(description: "CACHE is memory, disk or nowhere")
  }

  func configure(_ configuration: URLSessionConfiguration) {
    switch place {
    case "memory": configuration.urlCache = URLCache(memoryCapacity: 4 << 30, diskCapacity: 0)
    case "disk": configuration.urlCache = URLCache(memoryCapacity: 0, diskCapacity: 16 << 30, directory: directory)
    case "nowhere":
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.urlCredentialStorage = nil
    default: break
    }
  }

  /// Loads each URL once before the clock starts, where responses are kept.
  func fill(with requests: Requests, of work: Work, in session: URLSession) async throws {
    guard place == "memory" || place == "disk" else { return }
    for number in work.urls.indices { _ = try await session.data(for: requests[number]) }
    await session.flush()
    // Whoever measures must not measure the source.
    var request = requests[0]
    request.cachePolicy = .returnCacheDataDontLoad
    _ = try await session.data(for: request)
  }
}
#endif
