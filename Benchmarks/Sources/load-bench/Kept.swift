#if !PEER
import Foundation
import Measuring
import URLLoading

/// Where responses are kept while loads are measured, as the variable `CACHE` says: in `memory` or on `disk`, each loaded once before the
/// clock starts; on disk without that, so that loads `store` theirs; or `nowhere`, with no storage for cookies and credentials either.
/// Without it as a session without a disk does. `ENTRIES` says how many others are kept as well.
struct Kept {
  enum Place: String {
    case memory, disk, store, nowhere
  }

  private let place: Place?
  private let entries: Int
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kept-\(UUID().uuidString)")

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    place = environment["CACHE"].flatMap { Place(rawValue: $0) }
    entries = environment["ENTRIES"].flatMap { Int($0) } ?? 0
    guard let text = environment["CACHE"], place == nil else { return }
    throw Work.Misuse(description: "CACHE is memory, disk, store or nowhere, and not \(text)")
  }

  func configure(_ configuration: URLSessionConfiguration) {
    switch place {
    case .memory: configuration.urlCache = URLCache(memoryCapacity: 4 << 30, diskCapacity: 0)
    case .disk, .store:
      configuration.urlCache = URLCache(memoryCapacity: 0, diskCapacity: 16 << 30, directory: directory)
    case .nowhere:
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.urlCredentialStorage = nil
    case nil: break
    }
  }

  /// Keeps what is to be there before the clock starts.
  func fill(with requests: Requests, of work: Work, in session: URLSession) async throws {
    if entries > 0, let cache = session.configuration.urlCache { addEntries(to: cache) }
    if place == .memory || place == .disk {
      for number in work.urls.indices { _ = try await session.data(for: requests[number]) }
    }
    await session.flush()
    guard place == .memory || place == .disk else { return }
    // What is measured is the cache: this fails where it has nothing.
    var request = requests[0]
    request.cachePolicy = .returnCacheDataDontLoad
    _ = try await session.data(for: request)
  }

  private func addEntries(to cache: URLCache) {
    let body = Data(count: 1024)
    for number in 0..<entries {
      guard let url = URL(string: "http://entries.invalid/\(number)"),
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: nil, headerFields: ["Cache-Control": "max-age=86400"])
      else { continue }
      cache.storeCachedResponse(CachedURLResponse(response: response, data: body), for: URLRequest(url: url))
    }
  }

  /// Removes what is on disk.
  func remove() { try? FileManager.default.removeItem(at: directory) }
}
#endif
