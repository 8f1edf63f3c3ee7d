internal import URLLoadingCCurl

/// The decoding of a body that has content codings.
///
/// libcurl could do that, but takes a body whose coding is cut off for a whole one (as of 7.88).
extension EasyHandle {
  /// Bytes that are decoded for a transfer in a turn of the loop; the input may be a thousandth of that.
  private static let workPerTurn: UInt64 = 1 << 20

  /// Records how the body that is to come is coded.
  func expectBody(after head: TransferHead) {
    guard head.hasContentEncoding, head.statusCode != 206, shape?.decodesContent == true else { return }
    let fields = head.lines.values(of: "content-encoding")
    run.contentEncoding = ContentCoding.areDecoded(fields) ? fields : nil
  }

  /// Takes bytes of a coded body. Returns what the callback returns to libcurl.
  func receiveCodedBody(_ bytes: UnsafeRawBufferPointer, _ contentEncoding: [String]) -> Int {
    do throws(ContentDecodingError) {
      if run.decoder == nil { try makeDecoder(contentEncoding) }
      guard let decoder = run.decoder else {
        // Nothing that changes the bytes.
        run.contentEncoding = nil
        return receive(body: bytes)
      }
      return try decode(bytes, with: decoder)
    } catch {
      switch error {
      case .malformed(let text): run.failureReason = run.decoder == nil ? .unknownCoding(text) : .undecodableBody(text)
      case .outOfMemory: run.failureReason = .outOfMemory
      }
      // Less than came: the end of the transfer.
      return 0
    }
  }

  private func makeDecoder(_ contentEncoding: [String]) throws(ContentDecodingError) {
    let buffer = decodingBuffer ?? .allocate(byteCount: BodyDecoder.bufferSize, alignment: 64)
    decodingBuffer = buffer
    run.decoder = try BodyDecoder(contentEncoding: contentEncoding, buffer: buffer)
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, with decoder: BodyDecoder) throws(ContentDecodingError) -> Int {
    while true {
      // The handler may have refused more, or asked for the end, when it got the last piece.
      guard let transfer = run.transfer, let handler = run.handler, !run.isReceivingPaused else { return pauseBody() }
      guard hasWorkLeft(decoder) else { return yieldBody(transfer) }
      switch try decoder.next(bytes) {
      case .deliver(let piece):
        guard handler.transfer(transfer, didReceive: piece) == .accepted else { return pauseBody() }
        decoder.delivered()
        run.deliveredBytes += Int64(piece.count)
      case .proceed: break
      case .finish:
        run.receivedBytes += Int64(bytes.count)
        return bytes.count
      }
    }
  }

  private func pauseBody() -> Int {
    run.isReceivingPaused = true
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  // MARK: Turns

  private func hasWorkLeft(_ decoder: BodyDecoder) -> Bool {
    if run.decodingTurn != reactor.turn {
      run.decodingTurn = reactor.turn
      run.workBeforeTurn = decoder.work
    }
    return decoder.work &- run.workBeforeTurn < Self.workPerTurn
  }

  /// Yields to the loop's other transfers; libcurl delivers the same bytes again afterwards.
  private func yieldBody(_ transfer: Transfer) -> Int {
    if !run.isYielding {
      run.isYielding = true
      transfer.continueDecoding()
    }
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  /// The loop's other transfers were served: decoding continues.
  func continueDecoding() {
    guard run.isYielding else { return }
    run.isYielding = false
    run.workBeforeTurn = run.decoder?.work ?? 0
    applyPause()
  }
}
