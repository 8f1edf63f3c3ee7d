import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Pipes, devices and files that change, none of which may hold up the session.
@Suite(.timeLimit(.minutes(4))) struct FilePipeTests {
  private let directory: TemporaryDirectory
  private let session = URLSession(configuration: .ephemeral)

  init() throws {
    directory = try TemporaryDirectory("pipe")
  }

  private func pipe(_ name: String = "pipe") throws -> URL {
    let url = directory.file(name)
    guard mkfifo(url.path, 0o600) == 0 else { throw TestServerError.system("mkfifo") }
    return url
  }

  @Test func pipeWithAWriterIsReadToItsEnd() async throws {
    let url = try pipe()
    let body = TestFiles.pattern(count: 2_000_000)
    Thread.detachNewThread {
      let handle = FileHandle(forWritingAtPath: url.path)
      for start in stride(from: 0, to: body.count, by: 99_991) {
        try? handle?.write(contentsOf: body[start..<min(start + 99_991, body.count)])
      }
      try? handle?.close()
    }
    let (data, response) = try await session.data(from: url)
    #expect(difference(data, from: body) == nil)
    #expect(response.expectedContentLength == -1 && !response.acceptsByteRanges)
  }

  @Test func manySmallWritesAreNotLost() async throws {
    for round in 0..<20 {
      let url = try pipe("pipe\(round)")
      Thread.detachNewThread {
        let handle = FileHandle(forWritingAtPath: url.path)
        for index in 0..<300 {
          try? handle?.write(contentsOf: Data("\(index)\n".utf8))
          sched_yield()
        }
        try? handle?.close()
      }
      let data = try await session.data(from: url).0
      #expect(data == Data((0..<300).map { "\($0)\n" }.joined().utf8), "round \(round)")
    }
  }

  @Test func pipesWithoutWritersStallNobodyAndTimeOut() async throws {
    let file = try directory.write("small.txt", "small")
    let urls = try (0..<40).map { try pipe("silent\($0)") }
    let errors = Watched<[URLError.Code]>([])
    for url in urls {
      var request = URLRequest(url: url)
      request.timeoutInterval = 4
      session.dataTask(with: request) { _, _, error in
        errors.update { $0.append((error as? URLError)?.code ?? .unknown) }
      }.resume()
    }
    // More of them wait than there are threads.
    #expect(try await session.data(from: file).0 == Data("small".utf8))
    #expect(errors.value.isEmpty)
    #expect(await errors.wait { $0.count == urls.count })
    #expect(Set(errors.value) == [.timedOut])
  }

  @Test func pipeWithoutAWriterCanBeCancelled() async throws {
    let url = try pipe()
    let error = Watched<URLError?>(nil)
    let task = session.dataTask(with: url) { _, _, failure in error.update { $0 = failure as? URLError } }
    task.resume()
    #expect(try await eventually { task.response != nil })
    task.cancel()
    #expect(await error.wait { $0?.code == .cancelled })
    #expect(try await eventually { try !isOpen(url) }, "the pipe is still open")
  }

  @Test func pipeWhoseWriterPausesIsWaitedFor() async throws {
    let url = try pipe()
    let task = Task { try await session.data(from: url).0 }
    let writer = try await Task.detached { try #require(FileHandle(forWritingAtPath: url.path)) }.value
    try writer.write(contentsOf: Data("one".utf8))
    #expect(try await eventually { try available(in: url) == 0 })
    try writer.write(contentsOf: Data("two".utf8))
    try writer.close()
    #expect(try await task.value == Data("onetwo".utf8))
  }

  /// Bytes that nobody has read yet.
  private func available(in pipe: URL) throws -> Int {
    let descriptor = open(pipe.path, O_RDONLY | O_NONBLOCK)
    defer { close(descriptor) }
    var count: Int32 = 0
    guard ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { throw TestServerError.system("FIONREAD") }
    return Int(count)
  }

  private func isOpen(_ url: URL) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == url.path
    }
  }

  @Test func endlessDeviceIsReadUntilItIsCancelled() async throws {
    let zero = URL(fileURLWithPath: "/dev/zero")
    let error = Watched<URLError?>(nil)
    let task = session.downloadTask(with: zero) { _, _, failure in error.update { $0 = failure as? URLError } }
    task.resume()
    #expect(try await eventually(interval: .milliseconds(1)) { task.countOfBytesReceived > 1 << 20 })
    #expect(await task.cancelByProducingResumeData() == nil)
    #expect(await error.wait { $0?.code == .cancelled })
    var count = 0
    for try await byte in try await session.bytes(from: zero).0 {
      #expect(byte == 0)
      count += 1
      if count == 1000 { break }
    }
    #expect(count == 1000)
    #expect(try await session.data(from: URL(fileURLWithPath: "/dev/null")).0.isEmpty)
  }

  /// Holds the load between two pieces, for as long as the file is changed.
  private func load(_ file: URL, change: @escaping @Sendable () -> Void) async throws -> (Data, URLError?) {
    let recorder = ChangingReader(change)
    let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: file).resume()
    #expect(await recorder.done.wait(), "the load did not end")
    return recorder.result.value
  }

  @Test func fileThatGrowsIsReadToTheLengthThatWasAnnounced() async throws {
    let file = try directory.write("grows", TestFiles.pattern(count: 5_000_000))
    let (data, error) = try await load(file) {
      let handle = FileHandle(forWritingAtPath: file.path)
      _ = try? handle?.seekToEnd()
      try? handle?.write(contentsOf: Data(repeating: 1, count: 5_000_000))
    }
    #expect(error == nil)
    #expect(difference(data, from: TestFiles.pattern(count: 5_000_000)) == nil)
  }

  @Test func fileThatShrinksFailsAndSaysSo() async throws {
    // So large that it is not read to its end while the delegate is called for the first time; it takes no room on the disk.
    let file = try directory.write("shrinks", "")
    #expect(truncate(file.path, 500_000_000) == 0)
    let (data, error) = try await load(file) { truncate(file.path, 1000) }
    #expect(data.count < 500_000_000)
    #expect(error?.code == .resourceUnavailable)
    #expect(error?.localizedDescription.contains("shrank") == true)
  }
}

/// A data delegate that does something while its first piece is with it.
///
/// Mutable state: in `result`, which guards it.
private final class ChangingReader: NSObject, URLSessionDataDelegate {
  let result = Watched<(Data, URLError?)>((Data(), nil))
  let done = AsyncEvent()
  private let change: @Sendable () -> Void

  init(_ change: @escaping @Sendable () -> Void) {
    self.change = change
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if result.value.0.isEmpty { change() }
    result.update { $0.0.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    result.update { $0.1 = error as? URLError }
    done.signal()
  }
}
