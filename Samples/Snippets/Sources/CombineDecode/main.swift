import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let urlSession = URLSession.shared

struct Page: Codable {
    let numbers: [Int]
    let text: String
}

// The body becomes a type of the program, if the server says that all is well.
func load(_ path: String) {
    let semaphore = DispatchSemaphore(value: 0)
    let cancellable =
        urlSession
        .dataTaskPublisher(for: baseURL.appendingPathComponent(path))
        .tryMap() { element -> Data in
            guard let httpResponse = element.response as? HTTPURLResponse,
                httpResponse.statusCode == 200
            else {
                throw URLError(.badServerResponse)
            }
            return element.data
        }
        .decode(type: Page.self, decoder: JSONDecoder())
        .sink(
            receiveCompletion: { completion in
                switch completion {
                case .finished: print("Received completion: finished.")
                case .failure(let error as URLError): print("Received completion: code \(error.code.rawValue).")
                case .failure(let error): print("Received completion: \(type(of: error)).")
                }
                semaphore.signal()
            },
            receiveValue: { page in print("Received page: \(page).") })
    semaphore.wait()
    cancellable.cancel()
}

load("data.json")
load("status/404")
load("page.html")
