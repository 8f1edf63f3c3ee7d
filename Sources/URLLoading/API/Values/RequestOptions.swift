/// What few requests set; all of it has its default as a rule.
struct RequestOptions: Hashable {
  var allowsCellularAccess = true
  var allowsExpensiveNetworkAccess = true
  var allowsConstrainedNetworkAccess = true
  var usesPipelining = false
  var assumesHTTP3Capable = false
  var requiresDNSSECValidation = false
  var attribution = NSURLRequest.Attribution.developer
  var cookiePartitionIdentifier: String?

  static let byDefault = RequestOptions()
}

extension RequestOptions {
  /// The options in plain values.
  var propertyList: [String: Any] {
    var list: [String: Any] = [
      "allowsCellularAccess": allowsCellularAccess,
      "allowsExpensiveNetworkAccess": allowsExpensiveNetworkAccess,
      "allowsConstrainedNetworkAccess": allowsConstrainedNetworkAccess,
      "usesPipelining": usesPipelining,
      "assumesHTTP3Capable": assumesHTTP3Capable,
      "requiresDNSSECValidation": requiresDNSSECValidation,
      "attribution": Int(attribution.rawValue),
    ]
    list["cookiePartitionIdentifier"] = cookiePartitionIdentifier
    return list
  }

  /// What a list does not say has its default.
  init(propertyList list: [String: Any]) {
    allowsCellularAccess = list["allowsCellularAccess"] as? Bool ?? true
    allowsExpensiveNetworkAccess = list["allowsExpensiveNetworkAccess"] as? Bool ?? true
    allowsConstrainedNetworkAccess = list["allowsConstrainedNetworkAccess"] as? Bool ?? true
    usesPipelining = list["usesPipelining"] as? Bool ?? false
    assumesHTTP3Capable = list["assumesHTTP3Capable"] as? Bool ?? false
    requiresDNSSECValidation = list["requiresDNSSECValidation"] as? Bool ?? false
    attribution =
      (list["attribution"] as? Int).flatMap(UInt.init(exactly:)).flatMap(NSURLRequest.Attribution.init(rawValue:))
      ?? .developer
    cookiePartitionIdentifier = list["cookiePartitionIdentifier"] as? String
  }
}
