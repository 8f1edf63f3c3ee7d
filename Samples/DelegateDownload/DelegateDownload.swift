import URLLoading

// Downloads a URL into a file, cancels half-way, and goes on from the resume data.
// usage: DelegateDownload URL FILE
@main struct DelegateDownload {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let url = URL(string: arguments[1]) else {
      print("usage: DelegateDownload URL FILE")
      exit(2)
    }
    let watcher = DownloadWatcher(target: URL(fileURLWithPath: arguments[2]))
    let session = URLSession(configuration: .default, delegate: watcher, delegateQueue: nil)

    let first = session.downloadTask(with: url)
    first.resume()
    await watcher.waitUntilHalf()
    guard let resumeData = await first.cancelByProducingResumeData() else {
      print("this resource cannot be resumed")
      exit(1)
    }
    print("cancelled; the resume data has \(resumeData.count > 0 ? "some" : "no") bytes")

    session.downloadTask(withResumeData: resumeData).resume()
    let error = await watcher.waitUntilWhole()
    session.finishTasksAndInvalidate()
    print(error.map { "failed: \($0.localizedDescription)" } ?? "done: \(arguments[2])")
    exit(error == nil ? 0 : 1)
  }
}
