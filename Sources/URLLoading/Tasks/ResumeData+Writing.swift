import Foundation

extension ResumeData {
  /// The names of Apple's keys, and of ours.
  enum Key {
    static let downloadURL = "NSURLSessionDownloadURL"
    static let infoVersion = "NSURLSessionResumeInfoVersion"
    static let bytesReceived = "NSURLSessionResumeBytesReceived"
    static let byteRange = "NSURLSessionResumeByteRange"
    static let currentRequest = "NSURLSessionResumeCurrentRequest"
    static let originalRequest = "NSURLSessionResumeOriginalRequest"
    static let tempFileName = "NSURLSessionResumeInfoTempFileName"
    static let localPath = "NSURLSessionResumeInfoLocalPath"
    static let entityTag = "NSURLSessionResumeEntityTag"
    static let serverDownloadDate = "NSURLSessionResumeServerDownloadDate"
    /// Our dictionary.
    static let own = "URLLoadingResume"
  }

  /// The version of our dictionary that is written, and the newest that is read.
  static let version = 1

  /// The binary property list.
  ///
  /// - Throws: what `PropertyListSerialization` throws.
  func serialized() throws -> Data {
    // Credentials may have been assigned to the stored properties since the initialiser dropped them.
    let clean = ResumeData(
      url: url, originalURL: originalURL, method: method, headers: headers, bytesReceived: bytesReceived,
      expectedTotalLength: expectedTotalLength, entityTag: entityTag, lastModified: lastModified, localPath: localPath)
    return try PropertyListSerialization.data(fromPropertyList: clean.propertyList, format: .binary, options: 0)
  }

  private var propertyList: [String: Any] {
    var list: [String: Any] = [
      Key.downloadURL: url.absoluteString,
      Key.infoVersion: 2,
      Key.bytesReceived: bytesReceived,
      Key.currentRequest: request(url),
      Key.originalRequest: request(originalURL),
      Key.tempFileName: (localPath as NSString).lastPathComponent,
      Key.localPath: localPath,
    ]
    var own: [String: Any] = [
      "version": Self.version,
      "url": url.absoluteString,
      "originalURL": originalURL.absoluteString,
      "method": method,
      "headers": headers.map { [$0.name, $0.value] },
      "bytesReceived": bytesReceived,
      "expectedTotalLength": expectedTotalLength,
      "localPath": localPath,
    ]
    if let entityTag {
      list[Key.entityTag] = entityTag
      own["entityTag"] = entityTag
    }
    if let lastModified {
      list[Key.serverDownloadDate] = lastModified
      own["lastModified"] = lastModified
    }
    list[Key.own] = own
    return list
  }

  private func request(_ url: URL) -> [String: Any] {
    let fields = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    return ["url": url.absoluteString, "method": method, "headers": fields]
  }
}
