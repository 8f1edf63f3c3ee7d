import URLLoading

// Queues downloads that outlive this program, and takes what earlier runs have queued.
// usage: BackgroundDownload FOLDER [URL ...]
@main struct BackgroundDownload {
  static func main() async {
    guard let folder = CommandLine.arguments.dropFirst().first else {
      print("usage: BackgroundDownload FOLDER [URL ...]")
      exit(2)
    }
    let urls = CommandLine.arguments.dropFirst(2).compactMap { URL(string: $0) }
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.background-download")
    let taker = FileTaker(folder: URL(fileURLWithPath: folder, isDirectory: true))
    let session = URLSession(configuration: configuration, delegate: taker, delegateQueue: nil)
    for url in urls {
      session.downloadTask(with: url).resume()
      print("queued \(url.lastPathComponent)")
    }
    // Whoever queues goes; whoever comes without URLs takes what is there.
    if urls.isEmpty {
      while let next = await session.allTasks.first { await taker.end(of: next) }
    }
  }
}
