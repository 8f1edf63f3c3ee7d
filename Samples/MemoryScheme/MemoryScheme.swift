import URLLoading

// Stores what it is given at a memory: URL by an upload, then loads the whole and its last five bytes.
// usage: MemoryScheme [TEXT]
@main struct MemoryScheme {
  static func main() async throws {
    URLProtocol.registerClass(MemoryProtocol.self)
    guard let url = URL(string: "memory:/note") else { return }
    let text = CommandLine.arguments.dropFirst().first ?? "Hello, memory!"
    _ = try await URLSession.shared.upload(for: URLRequest(url: url), from: Data(text.utf8))

    let (whole, _) = try await URLSession.shared.data(from: url)
    print(String(decoding: whole, as: UTF8.self))

    var request = URLRequest(url: url)
    request.setValue("bytes=-5", forHTTPHeaderField: "Range")
    let (end, response) = try await URLSession.shared.data(for: request)
    print(response.contentRange?.fieldValue ?? "the whole", String(decoding: end, as: UTF8.self))
  }
}
