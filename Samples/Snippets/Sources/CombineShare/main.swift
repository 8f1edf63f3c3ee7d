import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("data.json")

struct Page: Codable {
    let numbers: [Int]
    let text: String
}

// One task for two subscribers: the first takes the body, the second the response. With share() the task would begin with the first, and could
// have ended before there is a second.
let sharedPublisher = URLSession.shared
    .dataTaskPublisher(for: url)
    .multicast { PassthroughSubject<URLSession.DataTaskPublisher.Output, URLError>() }

let group = DispatchGroup()
var page: Page?
var status: Int?

group.enter()
let cancellable1 =
    sharedPublisher
    .tryMap() {
        guard $0.data.count > 0 else { throw URLError(.zeroByteResource) }
        return $0.data
    }
    .decode(type: Page.self, decoder: JSONDecoder())
    .receive(on: DispatchQueue.main)
    .sink(
        receiveCompletion: { _ in group.leave() },
        receiveValue: { page = $0 })

group.enter()
let cancellable2 =
    sharedPublisher
    .map() { $0.response }
    .sink(
        receiveCompletion: { _ in group.leave() },
        receiveValue: { response in
            if let httpResponse = response as? HTTPURLResponse {
                status = httpResponse.statusCode
            }
        })

let connection = sharedPublisher.connect()

group.notify(queue: .main) {
    print("Received numbers: \(page?.numbers ?? []).")
    print("Received HTTP status: \(status ?? 0).")
    exit(0)
}
dispatchMain()
