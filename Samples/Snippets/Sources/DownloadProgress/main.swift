import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class Downloader: NSObject, URLSessionDownloadDelegate {
    private lazy var session = URLSession(configuration: .default, delegate: self, delegateQueue: .main)
    private var nextPercentage = 25
    private let destination: URL

    init(destination: URL) {
        self.destination = destination
    }

    func start(_ url: URL) {
        let task = session.downloadTask(with: url)
        task.resume()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else { return }
        let percentage = Int(totalBytesWritten * 100 / totalBytesExpectedToWrite)
        while percentage >= nextPercentage {
            print("\(nextPercentage) %")
            nextPercentage += 25
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let httpResponse = downloadTask.response as? HTTPURLResponse, httpResponse.statusCode == 200 else {
            print("Server error")
            return
        }
        do {
            try? FileManager.default.removeItem(at: destination)
            try FileManager.default.moveItem(at: location, to: destination)
            let attributes = try FileManager.default.attributesOfItem(atPath: destination.path)
            print("Saved", attributes[.size] as! UInt64, "bytes as", httpResponse.suggestedFilename ?? "-")
        } catch {
            print("File error: \(error)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print(error.map { "Failed: \($0.localizedDescription)" } ?? "Done")
        session.finishTasksAndInvalidate()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        try? FileManager.default.removeItem(at: destination)
        print("Main thread: \(Thread.isMainThread)")
        exit(EXIT_SUCCESS)
    }
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
let downloader = Downloader(destination: file)
downloader.start(URL(string: CommandLine.arguments[1])!.appendingPathComponent("large.bin"))
RunLoop.main.run()
