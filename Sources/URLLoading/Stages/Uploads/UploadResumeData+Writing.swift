internal import URLLoadingHTTPSemantics

extension UploadResumeData {
  /// Our dictionary in the property list.
  static let key = "URLLoadingUploadResume"
  /// The version that is written, and the newest that is read.
  static let version = 1

  /// The binary property list, without credentials.
  /// - Parameter secrets: keeps them.
  func serialized(_ secrets: ResumeSecrets = .shared) throws -> Data {
    let storedOriginal = URLSecrets.removingAllCredentials(originalURL)
    let withheld = headers.filter { ResumeData.isSecret($0) }
    let hasUser = storedOriginal != originalURL
    var own: [String: Any] = [
      "version": Self.version,
      "url": URLSecrets.removingAllCredentials(url).absoluteString,
      "originalURL": storedOriginal.absoluteString,
      "method": method,
      "headers": headers.filter { !ResumeData.isSecret($0) }.map { [$0.name, $0.value] },
      "resource": URLSecrets.removingAllCredentials(resource).absoluteString,
      "acknowledged": acknowledged,
      "body": storedBody,
    ]
    if let length { own["length"] = length }
    if let expiry { own["expiry"] = expiry }
    if options != .byDefault { own["options"] = options.propertyList }
    if !withheld.isEmpty || hasUser {
      own["key"] = secrets.keep(ResumeSecrets.Secret(originalURL: originalURL, fields: withheld))
    }
    var names = withheld.map(\.name)
    for name in missingFields where !names.contains(where: { $0.equalsIgnoringASCIICase(name) }) { names.append(name) }
    if !names.isEmpty { own["withheldFields"] = names }
    if hasUser || missesUser { own["withheldUser"] = true }
    return try PropertyListSerialization.data(fromPropertyList: [Self.key: own], format: .binary, options: 0)
  }

  private var storedBody: [String: Any] {
    switch body.source {
    case .data(let data): return ["data": data]
    case .file(let url):
      var stored: [String: Any] = ["path": url.path]
      if let version = body.fileVersion {
        stored["size"] = version.size
        stored["inode"] = Int64(bitPattern: version.inode)
        stored["modified"] = version.modified
      }
      return stored
    // The delegate is asked for a stream again.
    case .none, .unsizedFile, .form, .stream: return [:]
    }
  }
}
