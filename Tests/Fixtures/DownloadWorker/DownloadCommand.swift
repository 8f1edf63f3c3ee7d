import Foundation
import URLLoading

/// Downloads a URL to a file.
enum DownloadCommand {
  /// Downloads, and says how it went.
  static func run(url: String, target: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    await report(target) { try await URLSession.shared.download(from: url).0 }
  }

  /// Goes on with a download whose resume data is in a file; says so when it runs.
  static func resume(file: String, target: String) async {
    guard let data = FileManager.default.contents(atPath: file) else { return say("no resume data") }
    say("resuming")
    await report(target) { try await URLSession.shared.download(resumeFrom: data).0 }
  }

  /// Downloads with a limit on the size of files, then loads something small with the same session.
  static func limited(url: String, bytes: String, small: String) async {
    guard let url = URL(string: url), let bytes = UInt(bytes), let small = URL(string: small) else { return }
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    do {
      let (file, _) = try await URLSession.shared.download(from: url)
      say("downloaded \(file.path)")
    } catch {
      let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
      say("error \((error as NSError).code) \(underlying?.code.rawValue ?? 0)")
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())) ?? []
    say("left \(files.count { $0.hasPrefix("URLLoadingDownload_") })")
    do {
      let (data, _) = try await URLSession.shared.data(from: small)
      say("small \(data.count)")
    } catch {
      say("small failed: \(error)")
    }
  }

  private static func report(_ target: String, _ download: () async throws -> URL) async {
    do {
      let file = try await download()
      guard rename(file.path, target) == 0 else { return say("rename failed: \(errno)") }
      say("done")
    } catch {
      say("failed: \(error)")
    }
    // What the test measures is the largest size so far, which ends with the process.
    say(PeakMemory.line)
  }
}
