import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class MetricsLogger: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        print("task \(task.taskDescription ?? "-"), redirects: \(metrics.redirectCount)")
        print("took time:", metrics.taskInterval.duration > 0)
        for transaction in metrics.transactionMetrics {
            let path = transaction.request.url?.path() ?? "-"
            let status = (transaction.response as? HTTPURLResponse)?.statusCode ?? 0
            print(
                path, status, transaction.networkProtocolName ?? "-",
                transaction.resourceFetchType == .networkLoad ? "network" : "other")
            if let start = transaction.requestStartDate, let first = transaction.responseStartDate,
                let end = transaction.responseEndDate
            {
                print("time to first byte and whole:", first >= start, end >= first)
            }
            // Where the body of the redirect comes late, the next request takes another connection.
            let connected = transaction.connectStartDate != nil && transaction.connectEndDate != nil
            print("connected, if not reused:", connected != transaction.isReusedConnection)
            print("TLS:", transaction.secureConnectionStartDate != nil)
        }
        if let last = metrics.transactionMetrics.last {
            print("body:", last.countOfResponseBodyBytesReceived, last.countOfResponseBodyBytesAfterDecoding)
        }
    }
}

@main
struct Metrics {
    static func main() async throws {
        let url = URL(string: CommandLine.arguments[1])!.appending(path: "redirect/302")
        let session = URLSession(configuration: .ephemeral, delegate: MetricsLogger(), delegateQueue: nil)
        _ = try await session.data(from: url)

        // A delegate of one task alone.
        let small = URL(string: CommandLine.arguments[1])!.appending(path: "small.txt")
        _ = try await URLSession.shared.data(from: small, delegate: MetricsLogger())
    }
}
