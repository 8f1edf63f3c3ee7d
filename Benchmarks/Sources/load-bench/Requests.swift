import Measuring

#if PEER
import Foundation
import FoundationNetworking
#else
import URLLoading
#endif

/// The requests of a work. Their URLs are made before the clock starts; each request has a field of its own.
struct Requests: Sendable {
  private let work: Work
  private let urls: [URL]

  init(of work: Work) throws {
    self.work = work
    urls = try work.urls.indices.map(work.url)
  }

  subscript(number: Int) -> URLRequest {
    var request = URLRequest(url: urls[number % urls.count])
    if let id = work.requestID(number) { request.setValue(id, forHTTPHeaderField: "X-Request-ID") }
    #if !PEER
    if HTTP3.isWanted { request.assumesHTTP3Capable = true }
    #endif
    if let json = work.json {
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = json
    }
    return request
  }
}
