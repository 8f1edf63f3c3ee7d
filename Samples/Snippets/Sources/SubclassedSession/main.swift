import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class StubDataTask: URLSessionDataTask {
    private let onResume: () -> Void

    init(onResume: @escaping () -> Void) {
        self.onResume = onResume
    }

    override func resume() {
        onResume()
    }
}

class StubSession: URLSession {
    typealias CompletionHandler = (Data?, URLResponse?, Error?) -> Void

    var data: Data?
    var error: Error?
    private(set) var requestedURLs: [URL] = []

    override func dataTask(with url: URL, completionHandler: @escaping CompletionHandler) -> URLSessionDataTask {
        requestedURLs.append(url)
        let (data, error) = (self.data, self.error)
        return StubDataTask {
            completionHandler(data, nil, error)
        }
    }

    override func dataTask(
        with request: URLRequest, completionHandler: @escaping CompletionHandler
    ) -> URLSessionDataTask {
        dataTask(with: request.url!, completionHandler: completionHandler)
    }
}

class NewsLoader {
    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    func load(from url: URL, completion: @escaping (Result<String, Error>) -> Void) {
        let task = session.dataTask(with: url) { data, _, error in
            if let error = error {
                completion(.failure(error))
            } else {
                completion(.success(String(decoding: data ?? Data(), as: UTF8.self)))
            }
        }
        task.resume()
    }
}

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("small.txt")
let session = StubSession()
let loader = NewsLoader(session: session)

session.data = Data("stubbed".utf8)
loader.load(from: url) { print((try? $0.get()) ?? "-") }

session.data = nil
session.error = URLError(.networkConnectionLost)
loader.load(from: url) { result in
    if case .failure(let error) = result {
        print((error as? URLError)?.code == .networkConnectionLost)
    }
}
print(session.requestedURLs.map(\.path))

let semaphore = DispatchSemaphore(value: 0)
NewsLoader().load(from: url) {
    print((try? $0.get().count) ?? -1)
    semaphore.signal()
}
semaphore.wait()
