internal import URLLoadingHTTPSemantics

/// Archives messages as one binary property list under one key. A property list holds nothing but plain
/// values, so a forged archive cannot make the reader create objects.
enum PropertyListArchive {
  private static let key = "URLLoading.propertyList"

  static func encode(_ values: [String: Any], with coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let data = try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    else { return }
    coder.encode(data as NSData, forKey: key)
  }

  static func decode(from coder: NSCoder) -> [String: Any]? {
    guard coder.allowsKeyedCoding, let data = coder.decodeObject(of: NSData.self, forKey: key) else { return nil }
    return PropertyListReader.dictionary(from: data as Data)
  }
}

extension URLRequest {
  /// The request in plain values.
  var propertyList: [String: Any] {
    var list: [String: Any] = [
      // An empty one does not count.
      "method": values.explicitMethod ?? "",
      "cachePolicy": Int(values.cachePolicy.rawValue),
      "networkServiceType": Int(values.networkServiceType.rawValue),
      "handlesCookies": values.handlesCookies,
      "fields": values.fields.fields.flatMap { [$0.name, $0.value] },
      "protocolProperties": values.protocolProperties.filter {
        PropertyListSerialization.propertyList($0.value, isValidFor: .binary)
      },
    ]
    list["url"] = values.url?.absoluteString
    list["mainDocumentURL"] = values.mainDocumentURL?.absoluteString
    list["timeoutInterval"] = values.explicitTimeoutInterval
    list["body"] = httpBody
    if values.options != .byDefault { list["options"] = values.options.propertyList }
    return list
  }

  init?(propertyList list: [String: Any]) {
    var values = RequestValues()
    values.url = (list["url"] as? String).flatMap(URL.init(string:))
    values.mainDocumentURL = (list["mainDocumentURL"] as? String).flatMap(URL.init(string:))
    guard let method = list["method"] as? String else { return nil }
    values.setMethod(method)
    values.cachePolicy =
      (list["cachePolicy"] as? Int).flatMap(UInt.init(exactly:)).flatMap(CachePolicy.init(rawValue:))
      ?? .useProtocolCachePolicy
    values.networkServiceType =
      (list["networkServiceType"] as? Int).flatMap(UInt.init(exactly:)).flatMap(NetworkServiceType.init(rawValue:))
      ?? .default
    values.explicitTimeoutInterval = list["timeoutInterval"] as? Double
    values.handlesCookies = list["handlesCookies"] as? Bool ?? true
    values.fields = HTTPFields(flatList: list["fields"] as? [String] ?? [])
    values.body = (list["body"] as? Data).map { .data($0) } ?? .none
    values.protocolProperties = list["protocolProperties"] as? [String: Any] ?? [:]
    values.options = RequestOptions(propertyList: list["options"] as? [String: Any] ?? [:])
    self.init(values)
  }
}

extension HTTPFields {
  /// Fields from a list of name, value, name, value …
  init(flatList list: [String]) {
    self.init(
      stride(from: 0, to: list.count - list.count % 2, by: 2).map { (name: list[$0], value: list[$0 + 1]) })
  }
}
