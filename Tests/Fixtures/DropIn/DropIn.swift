import Foundation
import FoundationNetworking

/// A program as it is written for the toolchain's FoundationNetworking: nothing in it names this package.
@main struct DropIn {
  static func main() async throws {
    for argument in CommandLine.arguments.dropFirst() {
      guard let url = URL(string: argument) else { continue }
      var request = URLRequest(url: url)
      request.setValue("text/plain", forHTTPHeaderField: "Accept")
      let (data, response) = try await URLSession.shared.data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      print(url.scheme ?? "-", status, data.count, String(reflecting: type(of: URLSession.shared)))
    }
  }
}
