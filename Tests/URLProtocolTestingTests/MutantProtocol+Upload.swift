import Foundation
import URLLoading

extension MutantProtocol {
  /// Takes an upload piece by piece, and stores it when it is whole.
  func store(_ body: URLUploadBody) {
    guard let url = request.url else { return }
    var bytes: Data
    do {
      if fault == .uploadFailsForStreams, case .stream = body { throw URLError(.cannotOpenFile) }
      bytes = try UploadReading.bytesBlocking(of: body)
    } catch {
      client?.urlProtocol(self, didFailWithError: error)
      return
    }
    for sent in stride(from: Self.pieceSize, to: bytes.count + Self.pieceSize, by: Self.pieceSize) {
      if state.value.isStopped { return }
      guard fault != .uploadIsSilent else { break }
      sessionClient?.urlProtocol(self, didSendBodyData: Int64(min(sent, bytes.count)))
    }
    if fault == .uploadLosesByte { bytes = bytes.dropLast() }
    MutantStore.put(bytes, at: url, appending: fault == .uploadAppends)
    report(validators: ResourceValidators(), length: 0, range: nil)
    client?.urlProtocolDidFinishLoading(self)
  }
}
