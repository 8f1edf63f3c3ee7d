import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Steps that tests of downloads share.
enum Downloads {
  /// The path of the partial file that resume data names.
  static func partialFile(_ resumeData: Data) throws -> URL {
    let list = try PropertyListSerialization.propertyList(from: resumeData, format: nil) as? [String: Any]
    return URL(fileURLWithPath: try #require(list?["NSURLSessionResumeInfoLocalPath"] as? String))
  }

  /// Resume data with some values of its own dictionary changed.
  static func changing(_ resumeData: Data, _ change: (inout [String: Any]) -> Void) throws -> Data {
    let object = try PropertyListSerialization.propertyList(from: resumeData, format: nil)
    var list = try #require(object as? [String: Any])
    var own = try #require(list["URLLoadingResume"] as? [String: Any])
    change(&own)
    list["URLLoadingResume"] = own
    return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  /// Starts a download and cancels it when `count` bytes or more have come.
  /// - Returns: the resume data; nil when there is none.
  static func interrupt(
    _ request: URLRequest, after count: Int64, configuration: URLSessionConfiguration = .ephemeral,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Data? {
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    // On a busy machine a download may be whole before it is looked at.
    for _ in 0..<5 {
      let task = session.downloadTask(with: request)
      let data = try await interrupt(task, after: count, sourceLocation: sourceLocation)
      if data != nil || task.state != .completed || task.error != nil { return data }
    }
    return nil
  }

  /// Runs a task and cancels it when the counter of received bytes has reached `count`.
  static func interrupt(
    _ task: URLSessionDownloadTask, after count: Int64, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Data? {
    task.resume()
    let isThere = try await eventually(interval: .milliseconds(1)) {
      task.countOfBytesReceived >= count || task.state == .completed
    }
    #expect(isThere, "the download got no \(count) bytes", sourceLocation: sourceLocation)
    return await task.cancelByProducingResumeData()
  }

  /// Goes on with a download; what its delegate was told up to the end.
  static func resume(
    _ data: Data, in directory: TemporaryDirectory, configuration: URLSessionConfiguration = .ephemeral,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DownloadRecorder.Log {
    let recorder = DownloadRecorder(directory)
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.downloadTask(withResumeData: data).resume()
    return try #require(await recorder.completed(), "the resumed download did not end", sourceLocation: sourceLocation)
  }
}
