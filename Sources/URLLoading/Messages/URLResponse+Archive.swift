import Foundation

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
  }
}
