import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let fallbackUrlSession = URLSession(configuration: .ephemeral)
let semaphore = DispatchSemaphore(value: 0)
var subscriptions = Set<AnyCancellable>()

// A server that does not answer is asked twice, then another.
let pub = URLSession.shared
    .dataTaskPublisher(for: URL(string: "http://127.0.0.1:1/")!)
    .retry(1)
    .catch() { _ in
        fallbackUrlSession.dataTaskPublisher(for: baseURL.appendingPathComponent("small.txt"))
    }

pub
    .sink(
        receiveCompletion: {
            print("Received completion: \($0).")
            semaphore.signal()
        },
        receiveValue: { print("Received data: \($0.data).") }
    )
    .store(in: &subscriptions)
semaphore.wait()

// Or something else stands for what it has.
URLSession.shared
    .dataTaskPublisher(for: URL(string: "http://127.0.0.1:1/")!)
    .map { $0.data }
    .replaceError(with: Data())
    .sink(
        receiveCompletion: {
            print("Received completion: \($0).")
            semaphore.signal()
        },
        receiveValue: { print("Received data: \($0).") }
    )
    .store(in: &subscriptions)
semaphore.wait()
