import Foundation
internal import URLLoadingBase
internal import URLLoadingCCurl

/// The joining of a body's pieces, for transfers that expect a large one.
///
/// libcurl reads as much as its buffer holds, but hands it on in pieces of 16 KiB (`CURL_MAX_WRITE_SIZE`). Each has to pass several
/// locks on its way to a consumer, and often wakes a thread; so those of one reading are put together first.
extension EasyHandle {
  /// What was put together so far.
  struct GatheredBody {
    let block: BodyMemory.Block
    let capacity: Int
    var count = 0
  }

  /// Whether these bytes are to be put together with others: more of the same reading follows, or came before.
  func gathers(_ bytes: UnsafeRawBufferPointer) -> Bool {
    gatheredBody != nil || (gatheringCount > 0 && bytes.count == Int(CURL_MAX_WRITE_SIZE))
  }

  /// Takes bytes of the body. Returns what libcurl is told.
  func gather(_ bytes: UnsafeRawBufferPointer, for transfer: Transfer, _ handler: any TransferHandler) -> Int {
    if let gathered = gatheredBody, gathered.capacity - gathered.count < bytes.count {
      deliverGatheredBody()
      // The handler may have wanted no more.
      return receiveBody(bytes)
    }
    guard gatheredBody != nil || beginGathering(bytes.count, for: transfer, handler) else {
      return receiveWhole(bytes, for: transfer, handler)
    }
    guard let source = bytes.baseAddress, var gathered = gatheredBody else { return bytes.count }
    gathered.block.start.advanced(by: gathered.count).copyMemory(from: source, byteCount: bytes.count)
    gathered.count += bytes.count
    gatheredBody = gathered
    receivedBytes += Int64(bytes.count)
    // A shorter piece is the last one of a reading.
    if bytes.count < Int(CURL_MAX_WRITE_SIZE) || gathered.count == gathered.capacity { deliverGatheredBody() }
    return bytes.count
  }

  /// False where there is nothing to be gained, or where the handler may refuse the bytes: what is gathered cannot be.
  private func beginGathering(_ count: Int, for transfer: Transfer, _ handler: any TransferHandler) -> Bool {
    let left = expectedLength.map { Int(clamping: $0 - receivedBytes) } ?? .max
    let capacity = min(gatheringCount, max(left, 0))
    guard capacity > count, handler.transferTakesBody(transfer), let multi,
      let block = BodyMemory.shared.take(atLeast: capacity)
    else { return false }
    gatheredBody = GatheredBody(block: block, capacity: capacity)
    multi.noteGathering(self)
    return true
  }

  /// Hands on what was put together: nothing more comes in this turn.
  func deliverGatheredBody() {
    guard let gathered = gatheredBody.take() else { return }
    guard let transfer, let handler else { return BodyMemory.shared.recycle(gathered.block) }
    deliveredBytes += Int64(gathered.count)
    handler.transfer(transfer, didGather: BodyMemory.shared.data(gathered.block, count: gathered.count))
  }

  /// Forgets what was put together.
  func dropGatheredBody() {
    if let gathered = gatheredBody.take() { BodyMemory.shared.recycle(gathered.block) }
  }
}
