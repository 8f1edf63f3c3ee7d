import Foundation
internal import URLLoadingBase
internal import URLLoadingCCurl

/// Coalesces the pieces of a large body.
///
/// libcurl reads as much as its buffer has room for, and delivers that in pieces of 16 KiB (`CURL_MAX_WRITE_SIZE`). Each takes several
/// locks on its way to a consumer, and often wakes a thread; so the pieces of one read are coalesced first.
extension EasyHandle {
  /// The pieces of the current read.
  struct CoalescedBody {
    let block: BodyMemory.Block
    let capacity: Int
    var count = 0
  }

  /// Whether these bytes are to be coalesced with others: more of the same read follows, or came before.
  func coalesces(_ bytes: UnsafeRawBufferPointer) -> Bool {
    run.coalescedBody != nil || (run.coalescingLimit > 0 && bytes.count == Int(CURL_MAX_WRITE_SIZE))
  }

  /// Takes bytes of the body. Returns what the callback returns to libcurl.
  func coalesce(_ bytes: UnsafeRawBufferPointer, for transfer: Transfer, _ handler: any TransferHandler) -> Int {
    if let coalesced = run.coalescedBody, coalesced.capacity - coalesced.count < bytes.count {
      deliverCoalescedBody()
      // The handler may have wanted no more.
      return receive(body: bytes)
    }
    guard run.coalescedBody != nil || beginCoalescing(bytes.count, for: transfer, handler) else {
      return receive(decoded: bytes, for: transfer, handler)
    }
    guard let source = bytes.baseAddress, var coalesced = run.coalescedBody else { return bytes.count }
    coalesced.block.start.advanced(by: coalesced.count).copyMemory(from: source, byteCount: bytes.count)
    coalesced.count += bytes.count
    run.coalescedBody = coalesced
    run.receivedBytes += Int64(bytes.count)
    // A shorter piece is the last one of a read.
    if bytes.count < Int(CURL_MAX_WRITE_SIZE) || coalesced.count == coalesced.capacity { deliverCoalescedBody() }
    return bytes.count
  }

  /// False where nothing would be gained, or where the handler may refuse the bytes: it cannot refuse coalesced ones.
  private func beginCoalescing(_ count: Int, for transfer: Transfer, _ handler: any TransferHandler) -> Bool {
    let left = run.expectedLength.map { Int(clamping: $0 - run.receivedBytes) } ?? .max
    let capacity = min(run.coalescingLimit, max(left, 0))
    guard capacity > count, handler.transferTakesBody(transfer), let multi,
      let block = BodyMemory.shared.take(atLeast: capacity)
    else { return false }
    run.coalescedBody = CoalescedBody(block: block, capacity: capacity)
    multi.recordCoalescing(self)
    return true
  }

  /// Delivers the coalesced pieces.
  func deliverCoalescedBody() {
    guard let coalesced = run.coalescedBody.take() else { return }
    guard let transfer = run.transfer, let handler = run.handler else {
      return BodyMemory.shared.recycle(coalesced.block)
    }
    run.deliveredBytes += Int64(coalesced.count)
    handler.transfer(transfer, didCoalesce: BodyMemory.shared.data(coalesced.block, count: coalesced.count))
  }

  /// Drops the coalesced pieces.
  func dropCoalescedBody() {
    if let coalesced = run.coalescedBody.take() { BodyMemory.shared.recycle(coalesced.block) }
  }
}
