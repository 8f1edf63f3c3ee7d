import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A download that is paused into a file, and goes on from there.
class ResumableDownload: NSObject, URLSessionDownloadDelegate {
    let resumeFile: URL
    let pausesEarly: Bool
    let group = DispatchGroup()
    private var isPausing = false
    private lazy var session = URLSession(configuration: .default, delegate: self, delegateQueue: nil)
    private var task: URLSessionDownloadTask?

    init(resumeFile: URL, pausesEarly: Bool) {
        self.resumeFile = resumeFile
        self.pausesEarly = pausesEarly
    }

    func start(_ url: URL) {
        if let resumeData = try? Data(contentsOf: resumeFile) {
            task = session.downloadTask(withResumeData: resumeData)
        } else {
            task = session.downloadTask(with: url)
        }
        group.enter()
        task?.resume()
    }

    func pause() {
        isPausing = true
        group.enter()
        task?.cancel(byProducingResumeData: { [resumeFile, group] resumeData in
            if let resumeData = resumeData {
                try? resumeData.write(to: resumeFile)
            }
            group.leave()
        })
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if pausesEarly, !isPausing, totalBytesWritten < totalBytesExpectedToWrite {
            pause()
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        print("resumed:", fileOffset > 0, expectedTotalBytes)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
        print("whole:", attributes?[.size] as? UInt64 ?? 0)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as NSError? {
            let resumeData = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            print("ended:", error.code == NSURLErrorCancelled, resumeData != nil)
        }
        session.finishTasksAndInvalidate()
        group.leave()
    }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let resumeFile = folder.appendingPathComponent("download.resume")
let url = URL(string: CommandLine.arguments[1] + "/slow/large.bin?rate=3m")!

let first = ResumableDownload(resumeFile: resumeFile, pausesEarly: true)
first.start(url)
first.group.wait()
print("paused:", FileManager.default.fileExists(atPath: resumeFile.path))

let second = ResumableDownload(resumeFile: resumeFile, pausesEarly: false)
second.start(url)
second.group.wait()
try FileManager.default.removeItem(at: folder)
