import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("small.txt")

// Nothing is loaded before connect(): by then all subscribers are there, and one task serves them.
let multicast = URLSession.shared
    .dataTaskPublisher(for: url)
    .map { $0.data }
    .multicast { PassthroughSubject<Data, URLError>() }

let group = DispatchGroup()
var data1: Data?
var data2: Data?

group.enter()
let cancellable1 =
    multicast
    .sink(
        receiveCompletion: { _ in group.leave() },
        receiveValue: { data1 = $0 })

group.enter()
let cancellable2 =
    multicast
    .sink(
        receiveCompletion: { _ in group.leave() },
        receiveValue: { data2 = $0 })

print("Connecting.")
let connection = multicast.connect()
group.wait()
print("Received data 1: \(data1?.count ?? 0) bytes.")
print("Received data 2: \(data2?.count ?? 0) bytes.")

// With autoconnect() the first subscriber connects.
let semaphore = DispatchSemaphore(value: 0)
let cancellable3 = URLSession.shared
    .dataTaskPublisher(for: url)
    .map { $0.data }
    .multicast { PassthroughSubject<Data, URLError>() }
    .autoconnect()
    .sink(
        receiveCompletion: {
            print("Received completion: \($0).")
            semaphore.signal()
        },
        receiveValue: { print("Received data: \($0).") })
semaphore.wait()
