import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// What is tested.

struct Todo: Codable, Equatable {
    var id: Int
    var title: String
}

class TodoService {
    private let session: URLSession
    private let baseURL = URL(string: "https://api.example.com")!

    init(session: URLSession = .shared) {
        self.session = session
    }

    func create(_ todo: Todo, completion: @escaping (Result<Todo, Error>) -> Void) {
        var request = URLRequest(url: baseURL.appendingPathComponent("todos"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode(todo)
        session.dataTask(with: request) { data, response, error in
            if let error = error {
                completion(.failure(error))
                return
            }
            guard let data = data, let response = response as? HTTPURLResponse, response.statusCode == 201 else {
                completion(.failure(URLError(.badServerResponse)))
                return
            }
            completion(Result { try JSONDecoder().decode(Todo.self, from: data) })
        }.resume()
    }
}

// The mock.

class MockURLProtocol: URLProtocol {
    static var requestHandler: ((URLRequest) throws -> (HTTPURLResponse, Data?))?

    override class func canInit(with request: URLRequest) -> Bool {
        return true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        return request
    }

    override func startLoading() {
        guard let handler = MockURLProtocol.requestHandler else {
            fatalError("Handler is unavailable.")
        }
        do {
            let (response, data) = try handler(request)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            if let data = data {
                client?.urlProtocol(self, didLoad: data)
            }
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}
}

extension URLRequest {
    /// Inside of a protocol class the body is a stream.
    func bodyStreamData() -> Data? {
        guard let stream = httpBodyStream else { return nil }
        stream.open()
        defer { stream.close() }

        let bufferSize = 16
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: bufferSize)
        defer { buffer.deallocate() }

        var data = Data()
        while stream.hasBytesAvailable {
            let count = stream.read(buffer, maxLength: bufferSize)
            if count <= 0 { break }
            data.append(buffer, count: count)
        }
        return data
    }
}

// The tests.

let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = [MockURLProtocol.self]
let service = TodoService(session: URLSession(configuration: configuration))

func createAndWait(_ todo: Todo) -> Result<Todo, Error> {
    let semaphore = DispatchSemaphore(value: 0)
    var result: Result<Todo, Error>!
    service.create(todo) {
        result = $0
        semaphore.signal()
    }
    semaphore.wait()
    return result
}

MockURLProtocol.requestHandler = { request in
    print(request.httpMethod ?? "-", request.url?.path ?? "-", request.value(forHTTPHeaderField: "Content-Type") ?? "-")
    var todo = try JSONDecoder().decode(Todo.self, from: request.bodyStreamData()!)
    todo.id = 7
    let response = HTTPURLResponse(url: request.url!, statusCode: 201, httpVersion: nil, headerFields: nil)!
    return (response, try JSONEncoder().encode(todo))
}
print(try createAndWait(Todo(id: 0, title: "Write a test")).get() == Todo(id: 7, title: "Write a test"))

MockURLProtocol.requestHandler = { request in
    (HTTPURLResponse(url: request.url!, statusCode: 500, httpVersion: nil, headerFields: nil)!, nil)
}
if case .failure(let error as URLError) = createAndWait(Todo(id: 0, title: "")) {
    print(error.code == .badServerResponse)
}

MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }
if case .failure(let error) = createAndWait(Todo(id: 0, title: "")) {
    print((error as? URLError)?.code == .notConnectedToInternet, (error as NSError).domain == NSURLErrorDomain)
}

// The same for every session.
URLProtocol.registerClass(MockURLProtocol.self)
MockURLProtocol.requestHandler = { request in
    (HTTPURLResponse(url: request.url!, statusCode: 204, httpVersion: nil, headerFields: ["X-Mock": "yes"])!, nil)
}
let semaphore = DispatchSemaphore(value: 0)
URLSession.shared.dataTask(with: URL(string: "https://api.example.com/")!) { data, response, _ in
    let http = response as? HTTPURLResponse
    print(http?.statusCode ?? 0, http?.value(forHTTPHeaderField: "x-mock") ?? "-", data?.count ?? -1)
    semaphore.signal()
}.resume()
semaphore.wait()
URLProtocol.unregisterClass(MockURLProtocol.self)
