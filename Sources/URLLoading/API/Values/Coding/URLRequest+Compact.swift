internal import URLLoadingHTTPSemantics

extension CompactWriter {
  /// A request, with what protocol classes attached that is plain.
  mutating func request(_ request: URLRequest) {
    let values = request.values
    optional(values.url?.absoluteString) { $0.text($1) }
    optional(values.mainDocumentURL?.absoluteString) { $0.text($1) }
    optional(values.explicitMethod) { $0.text($1) }
    number(UInt64(values.cachePolicy.rawValue))
    number(UInt64(values.networkServiceType.rawValue))
    optional(values.explicitTimeoutInterval) { $0.double($1) }
    flag(values.handlesCookies)
    fields(values.fields)
    optional(request.httpBody) { $0.bytes($1) }
    optional(values.plainProperties) { $0.bytes($1) }
    optional(values.options == .byDefault ? nil : values.options) { $0.options($1) }
  }

  /// The fields of a message, in their order.
  mutating func fields(_ fields: HTTPFields) {
    list(fields.fields) { writer, field in
      writer.text(field.name)
      writer.text(field.value)
    }
  }

  private mutating func options(_ options: RequestOptions) {
    flag(options.allowsCellularAccess)
    flag(options.allowsExpensiveNetworkAccess)
    flag(options.allowsConstrainedNetworkAccess)
    flag(options.usesPipelining)
    flag(options.assumesHTTP3Capable)
    flag(options.requiresDNSSECValidation)
    number(UInt64(options.attribution.rawValue))
    optional(options.cookiePartitionIdentifier) { $0.text($1) }
  }
}

extension CompactReader {
  mutating func request() -> URLRequest? {
    guard let url = optional({ $0.text() }), let mainDocumentURL = optional({ $0.text() }),
      let method = optional({ $0.text() }), let policy = number(), let service = number(),
      let timeout = optional({ $0.double() }), let handlesCookies = flag(), let list = fields(),
      let body = optional({ $0.bytes() }), let properties = optional({ $0.bytes() }),
      let options = optional({ $0.options() })
    else { return nil }
    var values = RequestValues(url: url.flatMap { URL(string: $0) }, explicitTimeoutInterval: timeout)
    if let mainDocumentURL { values.mainDocumentURL = URL(string: mainDocumentURL) }
    values.setMethod(method)
    values.cachePolicy =
      UInt(exactly: policy).flatMap { NSURLRequest.CachePolicy(rawValue: $0) } ?? .useProtocolCachePolicy
    values.networkServiceType =
      UInt(exactly: service).flatMap { NSURLRequest.NetworkServiceType(rawValue: $0) } ?? .default
    values.handlesCookies = handlesCookies
    values.fields = HTTPFields(list)
    if let body { values.body = .data(body) }
    if let properties { values.protocolProperties = PropertyListReader.dictionary(from: properties) ?? [:] }
    if let options { values.options = options }
    return URLRequest(values)
  }

  /// The fields of a message, in their order.
  mutating func fields() -> [(name: String, value: String)]? {
    list { reader in
      guard let name = reader.text(), let value = reader.text() else { return nil }
      return (name: name, value: value)
    }
  }

  private mutating func options() -> RequestOptions? {
    var options = RequestOptions()
    guard let cellular = flag(), let expensive = flag(), let constrained = flag(), let pipelining = flag(),
      let http3 = flag(), let dnssec = flag(), let attribution = number(),
      let partition = optional({ $0.text() })
    else { return nil }
    options.allowsCellularAccess = cellular
    options.allowsExpensiveNetworkAccess = expensive
    options.allowsConstrainedNetworkAccess = constrained
    options.usesPipelining = pipelining
    options.assumesHTTP3Capable = http3
    options.requiresDNSSECValidation = dnssec
    options.attribution = UInt(exactly: attribution).flatMap { NSURLRequest.Attribution(rawValue: $0) } ?? .developer
    options.cookiePartitionIdentifier = partition
    return options
  }
}

extension RequestValues {
  /// What protocol classes attached, as a property list, but for what is not plain; nil for nothing.
  fileprivate var plainProperties: Data? {
    guard !protocolProperties.isEmpty else { return nil }
    let plain = protocolProperties.filter { PropertyListSerialization.propertyList($0.value, isValidFor: .binary) }
    return plain.isEmpty
      ? nil : try? PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
  }
}
