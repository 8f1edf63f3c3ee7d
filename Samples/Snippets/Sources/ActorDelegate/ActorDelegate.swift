import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

actor DownloadManager {
    private var sizes: [Int: Int64] = [:]
    private var waiting: [Int: CheckedContinuation<Int64, any Error>] = [:]
    private lazy var session = URLSession(
        configuration: .default, delegate: Delegate(manager: self), delegateQueue: nil)

    func size(of url: URL) async throws -> Int64 {
        let task = session.downloadTask(with: url)
        return try await withCheckedThrowingContinuation { continuation in
            waiting[task.taskIdentifier] = continuation
            task.resume()
        }
    }

    func close() {
        session.finishTasksAndInvalidate()
    }

    private func finished(_ task: Int, _ size: Int64) {
        sizes[task] = size
    }

    private func completed(_ task: Int, _ error: (any Error)?) {
        guard let continuation = waiting.removeValue(forKey: task) else { return }
        if let error {
            continuation.resume(throwing: error)
        } else {
            continuation.resume(returning: sizes.removeValue(forKey: task) ?? -1)
        }
    }

    private func isRedirectAllowed(to url: URL?) -> Bool {
        url?.lastPathComponent == "small.txt"
    }

    /// The actor's delegate: takes the session's calls, in their order, to the actor.
    private final class Delegate: NSObject, URLSessionDownloadDelegate {
        private enum Event: Sendable {
            case finished(Int, Int64)
            case completed(Int, (any Error)?)
        }

        private let manager: DownloadManager
        private let events: AsyncStream<Event>.Continuation

        init(manager: DownloadManager) {
            self.manager = manager
            let (stream, events) = AsyncStream<Event>.makeStream()
            self.events = events
            super.init()
            Task {
                for await event in stream {
                    switch event {
                    case .finished(let task, let size): await manager.finished(task, size)
                    case .completed(let task, let error): await manager.completed(task, error)
                    }
                }
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? {
            await manager.isRedirectAllowed(to: request.url) ? request : nil
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
            events.yield(.finished(downloadTask.taskIdentifier, attributes?[.size] as? Int64 ?? -1))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            events.yield(.completed(task.taskIdentifier, error))
        }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            events.finish()
        }
    }
}

@main
struct ActorDelegate {
    static func main() async throws {
        let baseURL = URL(string: CommandLine.arguments[1])!
        let manager = DownloadManager()
        async let small = manager.size(of: baseURL.appending(path: "redirect/302"))
        async let large = manager.size(of: baseURL.appending(path: "large.bin"))
        print(try await small, try await large)
        do {
            _ = try await manager.size(of: URL(string: "http://127.0.0.1:1/")!)
        } catch let error as URLError {
            print(error.code == .cannotConnectToHost)
        }
        await manager.close()
    }
}
