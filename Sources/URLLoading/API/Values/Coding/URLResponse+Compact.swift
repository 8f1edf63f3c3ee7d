private let httpKind: UInt8 = 1
private let otherKind: UInt8 = 2
/// What is said of an HTTP response by a bit each.
private let receivedFlag: UInt8 = 1
private let proxyFlag: UInt8 = 2

extension CompactWriter {
  /// A response. One of a class of the program's is read as one of ours.
  mutating func response(_ response: URLResponse) {
    if let http = response as? HTTPURLResponse, let url = http.url, (0...999).contains(http.statusCode) {
      byte(httpKind)
      text(url.absoluteString)
      number(UInt64(http.statusCode))
      text(http.httpVersion)
      byte((http.isReceived ? receivedFlag : 0) | (http.speaker == .proxy ? proxyFlag : 0))
      fields(http.fields)
    } else {
      byte(otherKind)
      let list = response.nestedList
      bytes((try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)) ?? Data())
    }
  }
}

extension CompactReader {
  mutating func response() -> URLResponse? {
    switch byte() {
    case httpKind:
      guard let url = text().flatMap({ URL(string: $0) }), let status = count(), status <= 999,
        let httpVersion = text(), let flags = byte(), let list = fields()
      else { return nil }
      return HTTPURLResponse(
        url: url, statusCode: status, httpVersion: httpVersion, fields: list, isReceived: flags & receivedFlag != 0,
        isOfProxy: flags & proxyFlag != 0)
    case otherKind: return bytes().flatMap { URLResponse.nested(PropertyListReader.dictionary(from: $0)) }
    default: return nil
    }
  }
}
