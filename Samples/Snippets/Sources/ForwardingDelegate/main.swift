import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Collects a body, and reports when it is whole.
class DataCollector: NSObject, URLSessionDataDelegate {
    var received = Data()
    var completion: ((Data, Error?) -> Void)?

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler((response as? HTTPURLResponse)?.statusCode == 200 ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.append(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        completion?(received, error)
    }
}

/// Writes down what happens, and forwards it to the delegate that does the work.
class LoggingDelegate: NSObject, URLSessionDataDelegate {
    let actual: DataCollector

    init(forwardingTo actual: DataCollector) {
        self.actual = actual
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        print("response:", (response as? HTTPURLResponse)?.statusCode ?? 0, response.expectedContentLength)
        actual.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        actual.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        print("transactions:", metrics.transactionMetrics.count)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print("completed:", error.map { ($0 as NSError).code } ?? 0)
        actual.urlSession(session, task: task, didCompleteWithError: error)
    }
}

func load(_ url: URL) {
    let collector = DataCollector()
    let session = URLSession(
        configuration: .ephemeral, delegate: LoggingDelegate(forwardingTo: collector), delegateQueue: nil)
    let semaphore = DispatchSemaphore(value: 0)
    collector.completion = { data, error in
        print("bytes:", data.count)
        semaphore.signal()
    }
    session.dataTask(with: url).resume()
    semaphore.wait()
    session.finishTasksAndInvalidate()
}

let baseURL = URL(string: CommandLine.arguments[1])!
load(baseURL.appendingPathComponent("small.txt"))
load(baseURL.appendingPathComponent("status/404"))
