import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!

final class ImageLoader {
    private let cache = URLCache(memoryCapacity: 10 * 1024 * 1024, diskCapacity: 50 * 1024 * 1024, diskPath: nil)
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = cache
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return URLSession(configuration: configuration)
    }()

    func load(_ url: URL, completion: @escaping (Result<(Data, String), Error>) -> Void) {
        let request = URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 30)
        if let cached = cache.cachedResponse(for: request) {
            completion(.success((cached.data, "cache")))
            return
        }
        session.dataTask(with: url) { [cache] data, response, error in
            if let data = data, let response = response {
                cache.storeCachedResponse(CachedURLResponse(response: response, data: data), for: request)
                completion(.success((data, "network")))
            } else {
                completion(.failure(error ?? URLError(.unknown)))
            }
        }.resume()
    }

    func forget(_ url: URL) {
        cache.removeCachedResponse(for: URLRequest(url: url))
    }

    var description: String {
        "\(cache.memoryCapacity) \(cache.diskCapacity) \(cache.currentMemoryUsage > 0)"
    }
}

let loader = ImageLoader()
let url = baseURL.appendingPathComponent("small.txt")

func show() {
    let semaphore = DispatchSemaphore(value: 0)
    loader.load(url) { result in
        switch result {
        case .success(let (data, source)): print(data.count, "bytes from the", source)
        case .failure(let error): print(error)
        }
        semaphore.signal()
    }
    semaphore.wait()
}

show()
show()
print(loader.description)
loader.forget(url)
show()

URLCache.shared.memoryCapacity = 1024 * 1024
print(URLSessionConfiguration.default.urlCache === URLCache.shared, URLCache.shared.memoryCapacity)
print(URLSessionConfiguration.default.requestCachePolicy == .useProtocolCachePolicy)
print(URLSessionConfiguration.ephemeral.urlCache !== URLCache.shared)
