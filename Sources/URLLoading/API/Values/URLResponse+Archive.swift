extension URLResponse.Details {
  var propertyList: [String: Any] {
    var list: [String: Any] = [
      "expectedContentLength": expectedContentLength, "acceptsByteRanges": acceptsByteRanges,
      "isLastModifiedStrong": validators.isLastModifiedStrong,
    ]
    list["url"] = url?.absoluteString
    list["mimeType"] = mimeType
    list["textEncodingName"] = textEncodingName
    list["contentRange"] = contentRange?.fieldValue
    list["entityTag"] = validators.entityTag
    list["lastModified"] = validators.lastModified
    list["suggestedFilename"] = suggestedFilename
    list["kind"] = described?.kind.rawValue
    list["modificationDate"] = described?.modificationDate
    list["permissions"] = described?.permissions.map { Int64($0) }
    return list
  }

  init(propertyList list: [String: Any]) {
    url = (list["url"] as? String).flatMap(URL.init(string:))
    mimeType = list["mimeType"] as? String
    expectedContentLength = max(-1, list["expectedContentLength"] as? Int64 ?? -1)
    textEncodingName = list["textEncodingName"] as? String
    contentRange = (list["contentRange"] as? String).flatMap(ContentRange.init(fieldValue:))
    validators = ResourceValidators(
      entityTag: list["entityTag"] as? String, lastModified: list["lastModified"] as? Date,
      isLastModifiedStrong: list["isLastModifiedStrong"] as? Bool ?? true)
    acceptsByteRanges = list["acceptsByteRanges"] as? Bool ?? false
    suggestedFilename = list["suggestedFilename"] as? String
    if let kind = (list["kind"] as? String).flatMap(URLDirectoryEntry.Kind.init(rawValue:)) {
      described = Described(
        kind: kind, modificationDate: list["modificationDate"] as? Date,
        permissions: (list["permissions"] as? Int64).flatMap { UInt16(exactly: $0) })
    }
  }
}

/// Inside archives of other objects: as plain values, too, since Foundation's unarchiver on Linux (Swift 6.3) ends the process where it
/// finds an object of another class than it was asked for.
extension URLResponse {
  /// The response in plain values. One of a class of the program's is read as one of ours.
  var nestedList: [String: Any] {
    var list = archivedList
    list["isHTTP"] = self is HTTPURLResponse
    return list
  }

  /// Nil for what is no response.
  static func nested(_ value: Any?) -> URLResponse? {
    guard let list = value as? [String: Any] else { return nil }
    if list["isHTTP"] as? Bool == true { return HTTPURLResponse(archivedHead: list) }
    return URLResponse(archived: list)
  }
}
