import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        print("to", request.url?.path ?? "-")
        completionHandler(nil)
    }
}

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("redirect/302")
let semaphore = DispatchSemaphore(value: 0)

let session = URLSession(configuration: .ephemeral, delegate: NoRedirects(), delegateQueue: nil)
session.dataTask(with: url) { data, response, error in
    if let http = response as? HTTPURLResponse {
        print(http.statusCode, http.url?.path ?? "-", http.allHeaderFields["Location"] ?? "-", error == nil)
    }
    semaphore.signal()
}.resume()
semaphore.wait()

URLSession.shared.dataTask(with: url) { data, response, error in
    if let http = response as? HTTPURLResponse {
        print(http.statusCode, http.url?.path ?? "-", data?.count ?? 0)
    }
    semaphore.signal()
}.resume()
semaphore.wait()

URLSession.shared.dataTask(with: url.deletingLastPathComponent().appendingPathComponent("loop")) { _, _, error in
    print((error as? URLError)?.code == .httpTooManyRedirects)
    semaphore.signal()
}.resume()
semaphore.wait()
