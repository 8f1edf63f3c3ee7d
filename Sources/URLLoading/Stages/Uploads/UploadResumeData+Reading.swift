internal import URLLoadingHTTPSemantics

extension UploadResumeData {
  /// Reads resume data, which anybody may have written: what is missing or cannot be is an error.
  /// - Parameter secrets: has the credentials, if this process wrote it.
  init(serialized data: Data, secrets: ResumeSecrets = .shared) throws(ResumeDataError) {
    guard let list = PropertyListReader.dictionary(from: data) else { throw .notAPropertyList }
    guard let own = list[Self.key] as? [String: Any] else {
      throw .missing("upload: it is not of an upload of this library")
    }
    guard let version = ResumeValues.integer(own["version"]) else { throw .missing("version") }
    guard version == Self.version else {
      throw version > Self.version
        ? .unsupportedVersion(Int(clamping: version)) : .invalid("version", reason: "\(version) was never written")
    }
    let url = try Self.httpURL(own["url"], named: "URL")
    let originalURL = try ResumeValues.url(own["originalURL"] as? String, named: "original URL")
    let resource = try Self.httpURL(own["resource"], named: "URL of the upload")
    guard url.scheme?.lowercased() != "https" || resource.scheme?.lowercased() == "https" else {
      throw .invalid("URL of the upload", reason: "it is less secure than the upload was")
    }
    guard let method = own["method"] as? String, ["POST", "PUT", "PATCH"].contains(method) else {
      throw .invalid("method", reason: "it is none of POST, PUT and PATCH")
    }
    let pairs = (own["headers"] as? [Any] ?? []).compactMap { $0 as? [String] }.filter { $0.count == 2 }
    let withheld = (own["withheldFields"] as? [Any] ?? []).compactMap { $0 as? String }
    guard (pairs.flatMap { $0 } + withheld).allSatisfy(ResumeValues.isFieldText),
      (pairs.map { $0[0] } + withheld).allSatisfy({ !$0.isEmpty })
    else { throw .invalid("header fields", reason: "one holds a control character") }
    let length = ResumeValues.integer(own["length"])
    let acknowledged = ResumeValues.integer(own["acknowledged"]) ?? 0
    guard length ?? 0 >= 0, acknowledged >= 0, acknowledged <= length ?? acknowledged else {
      throw .invalid("length", reason: "counts are negative, or more was taken than there is")
    }
    // Data that somebody else wrote may name credentials; they are not sent.
    let fields = pairs.map { ResumeData.Field(name: $0[0], value: $0[1]) }
    self.init(
      url: URLSecrets.removingAllCredentials(url), originalURL: URLSecrets.removingAllCredentials(originalURL),
      method: method, headers: fields.filter { !ResumeData.credentialFields.contains($0.name.lowercased()) },
      options: RequestOptions(propertyList: own["options"] as? [String: Any] ?? [:]),
      resource: URLSecrets.removingAllCredentials(resource), length: length, acknowledged: acknowledged,
      expiry: try Self.expiry(own["expiry"] as? Date),
      body: try Self.body(own["body"] as? [String: Any] ?? [:], length: length))
    missesUser = own["withheldUser"] as? Bool ?? false
    missingFields = withheld
    // A key is good for the URL alone that it was made for.
    if let secret = (own["key"] as? String).flatMap({ secrets.find($0) }),
      URLSecrets.removingAllCredentials(secret.originalURL).absoluteString == self.originalURL.absoluteString
    {
      self.originalURL = secret.originalURL
      headers += secret.fields
      missingFields = withheld.filter { name in !secret.fields.contains { $0.name.equalsIgnoringASCIICase(name) } }
      if URLSecrets.removingAllCredentials(secret.originalURL) != secret.originalURL { missesUser = false }
    }
  }

  private static func httpURL(_ value: Any?, named name: String) throws(ResumeDataError) -> URL {
    let url = try ResumeValues.url(value as? String, named: name)
    guard ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false else {
      throw .invalid(name, reason: "it is none of http or https with a host")
    }
    return url
  }

  /// A date that can be compared and printed.
  private static func expiry(_ date: Date?) throws(ResumeDataError) -> Date? {
    guard let date else { return nil }
    // Numbers, not dates, are compared: a NaN would count as a date between any two.
    let range = Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate
    guard range.contains(date.timeIntervalSinceReferenceDate) else {
      throw .invalid("expiry", reason: "it is no date of any calendar")
    }
    return date
  }

  private static func body(_ stored: [String: Any], length: Int64?) throws(ResumeDataError) -> UploadBody {
    if let data = stored["data"] as? Data {
      guard Int64(data.count) == length else {
        throw .invalid("body", reason: "it has another length than it is said to have")
      }
      return UploadBody(.data(data))
    }
    guard let path = stored["path"] as? String else { return UploadBody(.stream(nil)) }
    guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
      throw .invalid("path of the file", reason: "it must be absolute and hold no NUL")
    }
    guard let size = ResumeValues.integer(stored["size"]), let inode = ResumeValues.integer(stored["inode"]),
      let modified = ResumeValues.integer(stored["modified"]), size == length
    else { throw .missing("version of the file") }
    let version = UploadFileVersion(size: size, inode: UInt64(bitPattern: inode), modified: modified)
    return UploadBody(.file(URL(fileURLWithPath: path)), fileVersion: version)
  }
}
