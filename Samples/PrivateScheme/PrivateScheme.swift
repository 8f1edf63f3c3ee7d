import URLLoading

final class GreetingProtocol: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "greeting" }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    try await writer.respond(mimeType: "text/plain")
    try await writer.write(Data("Hello, \(request.url?.host() ?? "world")!".utf8))
  }
}

@main struct PrivateScheme {
  static func main() async throws {
    URLProtocol.registerClass(GreetingProtocol.self)
    let given = CommandLine.arguments.dropFirst()
    let urls = given.isEmpty ? ["data:,Hi", "file:///etc/hostname", "https://www.swift.org", "greeting://you"] : given
    for url in urls.compactMap({ URL(string: $0) }) {
      let (data, response) = try await URLSession.shared.data(from: url)
      print(url, response.mimeType ?? "-", data.count, String(decoding: data.prefix(40), as: UTF8.self))
    }
  }
}
