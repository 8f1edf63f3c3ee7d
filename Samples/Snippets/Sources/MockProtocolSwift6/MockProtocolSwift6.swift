import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class MockURLProtocol: URLProtocol, @unchecked Sendable {
    typealias Handler = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data)

    private actor Store {
        private var handler: Handler?

        func set(_ handler: @escaping Handler) {
            self.handler = handler
        }

        func response(to request: URLRequest) async throws -> (HTTPURLResponse, Data) {
            guard let handler else { throw URLError(.unsupportedURL) }
            return try await handler(request)
        }
    }

    private static let store = Store()
    private var loading: Task<Void, Never>?

    static func setHandler(_ handler: @escaping Handler) async {
        await store.set(handler)
    }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host() == "mock.example.com"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    override func startLoading() {
        loading = Task {
            do {
                let (response, data) = try await Self.store.response(to: request)
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                client?.urlProtocol(self, didLoad: data)
                client?.urlProtocolDidFinishLoading(self)
            } catch {
                client?.urlProtocol(self, didFailWithError: error)
            }
        }
    }

    override func stopLoading() {
        loading?.cancel()
    }
}

extension URLSession {
    static let mocked: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        configuration.httpAdditionalHeaders = ["X-Client": "tests"]
        return URLSession(configuration: configuration)
    }()
}

@main
struct MockProtocolSwift6 {
    static func main() async throws {
        let mock = URL(string: "https://mock.example.com/user")!
        await MockURLProtocol.setHandler { request in
            let client = request.value(forHTTPHeaderField: "X-Client") ?? "-"
            let fields = ["Content-Type": "application/json", "X-Seen": client]
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)!
            return (response, Data(#"{"name": "Ada"}"#.utf8))
        }
        let (data, response) = try await URLSession.mocked.data(from: mock)
        let http = response as! HTTPURLResponse
        print(String(decoding: data, as: UTF8.self), http.mimeType ?? "-", http.allHeaderFields["X-Seen"] ?? "-")

        var lines: [String] = []
        for try await line in try await URLSession.mocked.bytes(from: mock).0.lines { lines.append(line) }
        print(lines)

        await MockURLProtocol.setHandler { _ in throw URLError(.timedOut) }
        do {
            _ = try await URLSession.mocked.data(from: mock)
        } catch URLError.timedOut {
            print("timed out")
        }

        // Other hosts are loaded for real.
        let real = URL(string: CommandLine.arguments[1])!.appending(path: "small.txt")
        print(try await URLSession.mocked.data(from: real).0.count)
    }
}
