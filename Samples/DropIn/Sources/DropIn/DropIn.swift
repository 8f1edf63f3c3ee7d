import Fetching
import Foundation
import HTTPTypes
import HTTPTypesFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A program as it is written for the toolchain's FoundationNetworking, with a library that has its types in its API, and one of a third
/// party. It says which module they are bound to, and what comes of each URL that it is given.
@main struct DropIn {
  static func main() async {
    print("session:", String(reflecting: URLSession.self), "in", _mangledTypeName(URLSession.self) ?? "-")
    print("request:", String(reflecting: URLRequest.self))
    print("the library's session is the same:", Fetcher.sessionType == URLSession.self)
    let fetcher = Fetcher(session: URLSession(configuration: .ephemeral))
    for argument in CommandLine.arguments.dropFirst() {
      guard let url = URL(string: argument) else { continue }
      let scheme = url.scheme ?? "-"
      let task = fetcher.session.dataTask(with: url)
      print("\(scheme), a new task:", Fetcher.describe(task.state))
      task.cancel()
      await report("\(scheme), by the library") { try await fetcher.fetch(Fetcher.request(for: url)) }
      guard scheme.hasPrefix("http") else { continue }
      await report("\(scheme), by HTTPTypesFoundation") {
        let (data, response) = try await fetcher.session.data(for: HTTPRequest(method: .get, url: url))
        return "status \(response.status.code), \(data.count) bytes"
      }
    }
  }

  static func report(_ what: String, _ load: @Sendable () async throws -> String) async {
    do {
      print("\(what):", try await load())
    } catch {
      print("\(what): error", (error as NSError).domain, (error as NSError).code)
    }
  }
}
