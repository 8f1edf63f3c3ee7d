internal import URLLoadingHTTPSemantics

extension ResumeData {
  /// Reads resume data that this library wrote, or that has Apple's keys in plain form.
  ///
  /// - Parameter secrets: has the credentials, if this process wrote it.
  init(serialized data: Data, secrets: ResumeSecrets = .shared) throws(ResumeDataError) {
    guard let list = PropertyListReader.dictionary(from: data) else { throw .notAPropertyList }
    let draft: Draft
    if let own = list[Key.own] as? [String: Any] {
      draft = try Draft(own: own)
    } else {
      draft = Draft(apple: list)
    }
    self = try draft.checked()
    options = draft.options
    // A key is valid only for its URL: modified resume data cannot send the secrets elsewhere.
    if let secret = draft.key.flatMap({ secrets.find($0) }),
      URLSecrets.removingAllCredentials(secret.originalURL).absoluteString == originalURL.absoluteString
    {
      originalURL = secret.originalURL
      headers += secret.fields
      let found = secret.fields.map(\.name)
      missingFields = draft.withheldFields.filter { name in !found.contains { $0.equalsIgnoringASCIICase(name) } }
      missesUser = draft.withheldUser && URLSecrets.removingAllCredentials(originalURL) == originalURL
    } else {
      missingFields = draft.withheldFields
      missesUser = draft.withheldUser
    }
  }

  /// Values as they stand in a property list, not checked yet.
  private struct Draft {
    var url: String?
    var originalURL: String?
    var method: String?
    var headers: [Field] = []
    var bytesReceived: Int64?
    var expectedTotalLength: Int64?
    var entityTag: String?
    var lastModified: String?
    var localPath: String?
    var key: String?
    var withheldFields: [String] = []
    var withheldUser = false
    var options = RequestOptions.byDefault

    init(own: [String: Any]) throws(ResumeDataError) {
      guard let version = ResumeValues.integer(own["version"]) else { throw .missing("version") }
      guard (1...Int64(ResumeData.version)).contains(version) else {
        throw version > ResumeData.version
          ? .unsupportedVersion(Int(version)) : .invalid("version", reason: "\(version) was never written")
      }
      url = own["url"] as? String
      originalURL = own["originalURL"] as? String
      method = own["method"] as? String
      let pairs = (own["headers"] as? [Any] ?? []).compactMap { $0 as? [String] }
      headers = pairs.filter { $0.count == 2 }.map { Field(name: $0[0], value: $0[1]) }
      bytesReceived = ResumeValues.integer(own["bytesReceived"])
      expectedTotalLength = ResumeValues.integer(own["expectedTotalLength"])
      entityTag = own["entityTag"] as? String
      lastModified = own["lastModified"] as? String
      localPath = own["localPath"] as? String
      key = own["key"] as? String
      withheldFields = (own["withheldFields"] as? [Any] ?? []).compactMap { $0 as? String }
      withheldUser = own["withheldUser"] as? Bool ?? false
      options = RequestOptions(propertyList: own["options"] as? [String: Any] ?? [:])
    }

    init(apple list: [String: Any]) {
      // Requests that Apple archived with NSKeyedArchiver are data here; what they hold is not needed.
      let current = list[Key.currentRequest] as? [String: Any]
      let original = list[Key.originalRequest] as? [String: Any]
      url = list[Key.downloadURL] as? String ?? current?["url"] as? String
      originalURL = original?["url"] as? String
      method = current?["method"] as? String
      let fields = current?["headers"] as? [String: String] ?? [:]
      headers = fields.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
      bytesReceived = ResumeValues.integer(list[Key.bytesReceived])
      entityTag = list[Key.entityTag] as? String
      lastModified = list[Key.serverDownloadDate] as? String
      localPath = list[Key.localPath] as? String
      // From version 2 on Apple stores the name of a file in the temporary directory only.
      if localPath == nil, let name = list[Key.tempFileName] as? String {
        let isName = !name.isEmpty && name != "." && name != ".." && !name.contains("/")
        localPath = isName ? (NSTemporaryDirectory() as NSString).appendingPathComponent(name) : name
      }
    }

    func checked() throws(ResumeDataError) -> ResumeData {
      let url = try ResumeValues.url(url, named: "URL")
      let originalURL = try originalURL.map { (text) throws(ResumeDataError) in
        try ResumeValues.url(text, named: "original URL")
      }
      guard let localPath else { throw .missing("path of the partial file") }
      // Not the character view: a NUL followed by a combining mark is one character that is not NUL.
      guard localPath.utf8.first == UInt8(ascii: "/"), !localPath.utf8.contains(0) else {
        throw .invalid("path of the partial file", reason: "it must be absolute and hold no NUL")
      }
      let entityTag = try validator(entityTag, named: "entity tag")
      let lastModified = try validator(lastModified, named: "modification date")
      guard entityTag != nil || lastModified != nil else { throw .missing("entity tag or modification date") }
      guard let bytesReceived else { throw .missing("number of bytes received") }
      guard bytesReceived >= 0 else { throw .invalid("number of bytes received", reason: "it is negative") }
      let total = expectedTotalLength ?? -1
      guard total == -1 || total >= bytesReceived else {
        throw .invalid("expected length", reason: "it is less than what was received")
      }
      let method = method ?? "GET"
      guard !method.isEmpty, method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .invalid("method", reason: "it is not a token")
      }
      guard
        headers.allSatisfy({
          ResumeValues.isFieldText($0.name) && !$0.name.isEmpty && ResumeValues.isFieldText($0.value)
        }),
        withheldFields.allSatisfy({ ResumeValues.isFieldText($0) && !$0.isEmpty })
      else {
        throw .invalid("header fields", reason: "one holds a control character")
      }
      // Data that somebody else wrote may name credentials; they are not sent.
      let fields = headers.filter { !ResumeData.credentialFields.contains($0.name.lowercased()) }
      return ResumeData(
        url: URLSecrets.removingAllCredentials(url),
        originalURL: URLSecrets.removingAllCredentials(originalURL ?? url), method: method, headers: fields,
        bytesReceived: bytesReceived,
        expectedTotalLength: total, entityTag: entityTag, lastModified: lastModified, localPath: localPath)
    }

    /// A value that will be sent as If-Range: one with a line end in it could add fields to the request.
    private func validator(_ value: String?, named name: String) throws(ResumeDataError) -> String? {
      guard let value, !value.isEmpty else { return nil }
      guard ResumeValues.isFieldText(value) else { throw .invalid(name, reason: "it holds a control character") }
      return value
    }
  }
}
