internal import Synchronization
internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// A load by HTTP without an instance, as long as it is one request and its answer. A redirect, a challenge, an informational response and a
/// failure, also of the way by HTTP/3, are for an instance, which takes over the transfer.
///
/// Mutable state: `state`, guarded by its lock; `isPaused`, atomic, which bytes are taken by; `receiver`, and what `way` has, written before the
/// transfer begins; `instance`, touched on the transfer loop alone.
// Safe to share: the mutable state is guarded as said above.
final class HTTPDirectLoad: URLDirectLoad, TransferHandler, @unchecked Sendable {
  private struct State {
    var transfer: Transfer?
    var isStopped = false
  }

  private let request: URLRequest
  private let connections: CurlSession
  /// Nil where HTTP/3 is no question for the request.
  private let way: HTTPDirectWay?
  private let state = Locked(State())
  private let isPaused = Atomic(false)
  private var receiver: URLDirectReceiver?
  private var instance: HTTPProtocol?

  /// - Parameters:
  ///   - request: one with a URL.
  ///   - way: nil where HTTP/3 is no question for it.
  init(_ request: URLRequest, on connections: CurlSession, way: HTTPDirectWay?) {
    (self.request, self.connections, self.way) = (request, connections, way)
  }

  // MARK: Commands of the load

  func start(for receiver: URLDirectReceiver) {
    self.receiver = receiver
    var transferRequest = HTTPRequestEncoder.transferRequest(for: request, body: body)
    if case .data(let data) = body { transferRequest.body = .data(data) }
    transferRequest.typeOfService = connections.typeOfService
    transferRequest.wantsMetrics = false
    if let way { way.begin(&transferRequest, for: request, on: connections) }
    receiver.isWaiting(true)
    let transfer = connections.engine.start(consume transferRequest, handler: self)
    let isStopped = state.withLock { state in
      state.transfer = transfer
      return state.isStopped
    }
    if isStopped { transfer.cancel() } else if isPaused.load(ordering: .acquiring) { followPause() }
  }

  /// What is sent: a body in memory, where there is one.
  private var body: URLUploadBody? {
    guard let data = request.httpBody else { return nil }
    let body = URLUploadBody.data(data)
    return HTTPRequestEncoder.sends(body, by: request.httpMethod ?? "GET") ? body : nil
  }

  func stop() {
    let transfer = state.withLock { state in
      state.isStopped = true
      return state.transfer
    }
    onLoop { if let instance = self.instance { instance.stopLoading() } else { transfer?.cancel() } }
  }

  /// From here on no bytes are taken. An instance follows the gate by itself.
  func setPaused(_ isPaused: Bool) {
    self.isPaused.store(isPaused, ordering: .releasing)
    followPause()
  }

  /// Decided on the loop: else the transfer might keep a pause that has ended meanwhile.
  private func followPause() {
    onLoop {
      guard self.instance == nil, let transfer = self.state.withLock({ $0.transfer }) else { return }
      if self.isPaused.load(ordering: .acquiring) { transfer.pause() } else { transfer.resume() }
    }
  }

  private func onLoop(_ work: @escaping @Sendable () -> Void) {
    if EventLoop.shared.isCurrentThread { work() } else { EventLoop.shared.execute(work) }
  }

  /// The instance that goes on; nil where the load has ended.
  private func handOver(_ transfer: Transfer) -> HTTPProtocol? {
    if let instance { return instance }
    guard let made = receiver?.makeInstance() as? HTTPProtocol else { return nil }
    instance = made
    made.takeOver(transfer, by: way?.route)
    return made
  }

  // MARK: Events of the transfer

  func transferDidLeaveQueue(_ transfer: Transfer) {
    receiver?.isWaiting(false)
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {
    handOver(transfer)?.transfer(transfer, didReceiveInformational: head)
  }

  func transfer(_ transfer: Transfer, didReceive head: consuming TransferHead) {
    guard instance == nil, !mayAct(on: head.statusCode), let url = request.url else {
      handOver(transfer)?.transfer(transfer, didReceive: head)
      return
    }
    let response = HTTPURLResponse(url: url, head: consume head)
    if let way { way.answered(response) }
    receiver?.receive(response, cacheStoragePolicy: .allowed)
  }

  /// Whether a status may be more than a response.
  private func mayAct(on status: Int) -> Bool {
    HTTPExchange.mayAct(on: status) || status == 421 && way?.route.target != nil
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    if let instance { return instance.transfer(transfer, didReceive: bytes) }
    if isPaused.load(ordering: .acquiring) { return .pause }
    receiver?.receive(bytes)
    return .accepted
  }

  func transferTakesBody(_ transfer: Transfer) -> Bool {
    instance?.transferTakesBody(transfer) ?? !isPaused.load(ordering: .acquiring)
  }

  func transfer(_ transfer: Transfer, didCoalesce bytes: Data) {
    if let instance { instance.transfer(transfer, didCoalesce: bytes) } else { receiver?.receive(bytes) }
  }

  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {}

  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {
    if let instance { instance.transfer(transfer, didSendBodyBytes: total) } else { receiver?.didSend(total) }
  }

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    guard instance == nil, case .success = result else {
      handOver(transfer)?.transfer(transfer, didCompleteWith: result)
      return
    }
    receiver?.finish()
  }
}
