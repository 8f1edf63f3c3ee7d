import Foundation
import URLLoading

/// Stores cookies, fills the cache and downloads until it is killed, and says what it has done; at first, what has lasted since the last
/// time.
///
/// | line | meaning |
/// | --- | --- |
/// | `has NAME VALUE` | a cookie that was there at the start |
/// | `ready` | all of these were said |
/// | `kept NAME VALUE` | a flush has returned since the cookie was stored |
/// | `hit NUMBER` | a response came from what an earlier process has stored |
/// | `saved` | resume data is on the disk, and the download goes on |
/// | `resumed left START` | a download is whole whose first `START` bytes an earlier process has left |
/// | `resumed own START` | the same, of a download that this process has interrupted |
/// | `again CODE` | what an earlier process has left cannot be resumed: a new download begins |
/// | `done FILE` | a download is whole |
/// | `wrong WHAT` | what must not be |
struct KeepCommand {
  private let base: URL
  private let folder: URL
  /// What the names of its cookies begin with.
  private let prefix: String

  static func run(url: String, folder: String, prefix: String) async {
    guard let base = URL(string: url) else { return say("no URL") }
    let command = KeepCommand(base: base, folder: URL(fileURLWithPath: folder, isDirectory: true), prefix: prefix)
    let cookies = HTTPCookieStorage.shared.cookies(for: base) ?? []
    for cookie in cookies { say("has \(cookie.name) \(cookie.value)") }
    say("ready")
    let last = cookies.filter { $0.name.hasPrefix(prefix) }.compactMap { Int($0.value) }.max() ?? 0
    await withTaskGroup { group in
      group.addTask { await command.storeCookies(from: last + 1) }
      group.addTask { await command.loadCached() }
      group.addTask { await command.download() }
    }
  }

  /// The values count up, so that a cookie that has a lower one than before has been lost.
  private func storeCookies(from first: Int) async {
    var pending: [(String, Int)] = []
    for value in first... {
      let name = "\(prefix)\(value % 40)"
      if value % 2 == 0 {
        await check("cookie") {
          _ = try await URLSession.shared.data(from: base.appending(path: "cookie/\(name)/\(value)"))
        }
      } else if let host = base.host(),
        let cookie = HTTPCookie(properties: [
          .name: name, .value: String(value), .domain: host, .path: "/", .expires: Date(timeIntervalSinceNow: 9000),
        ])
      {
        HTTPCookieStorage.shared.setCookie(cookie)
      }
      pending.append((name, value))
      guard value % 3 == 0 else { continue }
      await URLSession.shared.flush()
      for (name, value) in pending { say("kept \(name) \(value)") }
      pending = []
    }
  }

  private func loadCached() async {
    for index in 0... {
      let number = index * 7 % 30
      await check("cached \(number)") {
        let (data, response) = try await URLSession.shared.data(from: base.appending(path: "cached/\(number)"))
        // What the server's `/cached/` gives.
        if data != Data(String(repeating: "\(number);", count: 1 + number * 2000).utf8) {
          say("wrong cached \(number)")
        }
        // Each number once: nothing is in this process's memory before. The server sends no Age.
        if index < 30, (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Age") != nil { say("hit \(number)") }
      }
    }
  }

  private func download() async {
    let resumeFile = folder.appending(path: "resume")
    let url = base.appending(path: "download")
    while true {
      await check("download") {
        var file: URL?
        if let data = try? Data(contentsOf: resumeFile) {
          do { file = try await resume(data, "left") } catch {
            // The partial file may have become the whole one just before the end.
            say("again \((error as NSError).code)")
          }
        }
        if file == nil {
          let task = URLSession.shared.downloadTask(with: url)
          task.resume()
          while task.countOfBytesReceived < 50_000, task.state == .running {
            try await Task.sleep(for: .milliseconds(1))
          }
          guard let data = await task.cancelByProducingResumeData() else { return }
          try data.write(to: resumeFile, options: .atomic)
          say("saved")
          file = try await resume(data, "own")
        }
        guard let file else { return }
        let target = folder.appending(path: "done-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: file, to: target)
        unlink(resumeFile.path)
        say("done \(target.lastPathComponent)")
      }
    }
  }

  /// Downloads the rest. A server that sends everything anew has answered with 200.
  private func resume(_ data: Data, _ whose: String) async throws -> URL {
    let (file, response) = try await URLSession.shared.download(resumeFrom: data)
    if let response = response as? HTTPURLResponse, response.statusCode == 206,
      let start = response.contentRange?.firstByte
    {
      say("resumed \(whose) \(start)")
    }
    return file
  }

  private func check(_ what: String, _ body: () async throws -> Void) async {
    do { try await body() } catch { say("wrong \(what): \(error)") }
  }
}
