import Foundation
import URLLoading

extension MutantProtocol {
  /// Decides what to send, and reports the head.
  /// - Returns: false when there is nothing to send.
  func respond(_ item: MutantStore.Item) -> Bool {
    let length = Int64(item.bytes.count)
    let validators = validators(of: item)
    guard let (bytes, contentRange) = selection(of: length, validators).bytes(ofLength: length) else {
      fail(URLError.unsatisfiableRange(of: request, length: length))
      return false
    }
    if fault == .failsForMalformed, contentRange == nil, request.value(forHTTPHeaderField: "Range") != nil {
      fail(URLError(.badURL, message: "A bad range.", url: request.url))
      return false
    }
    var range = Int(bytes.lowerBound)..<Int(bytes.upperBound)
    let isHead = request.httpMethod == "HEAD" && fault != .headHasBody
    var sent = item.bytes
    switch fault {
    case .lastByteMissing: if !range.isEmpty { range = range.lowerBound..<range.upperBound - 1 }
    case .oneByteTooMany:
      sent.append(0)
      range = range.lowerBound..<range.upperBound + 1
    case .swapsPieces: if sent.count > 3 { sent.swapAt(1, 2) }
    case .rangeOffByOne:
      if contentRange != nil, range.lowerBound > 0 { range = range.lowerBound - 1..<range.upperBound - 1 }
    default: break
    }
    state.update { state in
      state.bytes = sent
      state.range = isHead ? 0..<0 : range
      state.next = state.range.lowerBound
    }
    if fault == .dataBeforeResponse { client?.urlProtocol(self, didLoad: Data("early".utf8)) }
    report(
      validators: contentRange != nil && fault == .partWithoutValidators ? ResourceValidators() : validators,
      length: fault == .lengthOfWhole ? length : Int64(bytes.count),
      range: contentRange
        ?? (fault == .rangeInWhole
          ? ContentRange(firstByte: 0, lastByte: max(0, length - 1), completeLength: nil) : nil)
    )
    if fault == .secondResponse { report(validators: validators, length: Int64(bytes.count), range: contentRange) }
    return fault != .neverFinishes
  }

  private func selection(of length: Int64, _ validators: ResourceValidators) -> ByteRangeSelection {
    var asked = request
    if fault == .ignoresIfRange { asked.setValue(nil, forHTTPHeaderField: "If-Range") }
    if fault == .ignoresRange { return .whole }
    let selection = asked.byteRange(ofLength: length, validators: validators)
    if fault == .wholeForOutside, case .unsatisfiable = selection { return .whole }
    return selection
  }

  private func validators(of item: MutantStore.Item) -> ResourceValidators {
    switch fault {
    case .newValidatorsEachTime: ResourceValidators(entityTag: "\"\(UInt64.random(in: 0 ... .max))\"")
    case .sameValidatorsForever: ResourceValidators(entityTag: "\"1\"")
    default: ResourceValidators(entityTag: "\"\(item.version)\"")
    }
  }

  func report(validators: ResourceValidators, length: Int64, range: ContentRange?) {
    guard let url = request.url else { return }
    var shown = range
    if fault == .wrongContentRange, let range {
      shown = ContentRange(firstByte: range.firstByte + 1, lastByte: range.lastByte + 1, completeLength: nil)
    }
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: fault == .wrongURL ? url.appendingPathComponent("x") : url,
        mimeType: fault == .emptyMIMEType ? "" : "application/octet-stream",
        expectedContentLength: fault == .wrongLength ? length + 1 : length, textEncodingName: nil, contentRange: shown,
        validators: validators, acceptsByteRanges: fault != .hidesRanges),
      cacheStoragePolicy: .notAllowed)
  }
}
