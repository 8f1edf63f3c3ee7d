internal import URLLoadingHTTPSemantics

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

  /// The version of our dictionary that is written, and the newest that is read. In version 1 the header fields were there but
  /// for those in ``credentialFields``.
  static let version = 2

  /// The binary property list, without credentials.
  ///
  /// - Parameter secrets: keeps them.
  func serialized(_ secrets: ResumeSecrets = .shared) throws -> Data {
    var stored = self
    stored.url = URLSecrets.removingAllCredentials(url)
    stored.originalURL = URLSecrets.removingAllCredentials(originalURL)
    stored.headers = headers.filter { !Self.isSecret($0) }
    let withheld = headers.filter { Self.isSecret($0) }
    let hasUser = stored.originalURL != originalURL
    var own = stored.ownDictionary
    if !withheld.isEmpty || hasUser {
      own["key"] = secrets.keep(ResumeSecrets.Secret(originalURL: originalURL, fields: withheld))
    }
    var names = withheld.map(\.name)
    for name in missingFields where !names.contains(where: { $0.equalsIgnoringASCIICase(name) }) { names.append(name) }
    if !names.isEmpty { own["withheldFields"] = names }
    if hasUser || missesUser { own["withheldUser"] = true }
    var list = stored.applesKeys
    list[Key.own] = own
    return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  private var applesKeys: [String: Any] {
    var list: [String: Any] = [
      Key.downloadURL: url.absoluteString,
      Key.infoVersion: 2,
      Key.bytesReceived: bytesReceived,
      Key.currentRequest: request(url),
      Key.originalRequest: request(originalURL),
      Key.tempFileName: (localPath as NSString).lastPathComponent,
      Key.localPath: localPath,
    ]
    if let entityTag { list[Key.entityTag] = entityTag }
    if let lastModified { list[Key.serverDownloadDate] = lastModified }
    return list
  }

  private var ownDictionary: [String: Any] {
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
    if let entityTag { own["entityTag"] = entityTag }
    if let lastModified { own["lastModified"] = lastModified }
    if options != .byDefault { own["options"] = options.propertyList }
    return own
  }

  private func request(_ url: URL) -> [String: Any] {
    let fields = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    return ["url": url.absoluteString, "method": method, "headers": fields]
  }
}
