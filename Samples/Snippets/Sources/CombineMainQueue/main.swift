import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("small.txt")

// Closures that follow are called on the main queue.
let cancellable = URLSession.shared
    .dataTaskPublisher(for: url)
    .receive(on: DispatchQueue.main)
    .sink(
        receiveCompletion: {
            dispatchPrecondition(condition: .onQueue(.main))
            print("Received completion: \($0).")
            exit(0)
        },
        receiveValue: {
            dispatchPrecondition(condition: .onQueue(.main))
            print("Received data: \($0.data).")
        })

RunLoop.main.run()
