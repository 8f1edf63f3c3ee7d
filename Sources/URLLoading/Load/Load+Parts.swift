internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Bodies of the type `multipart/x-mixed-replace`: the delegate of a data task gets a response for each part, followed by the part's bytes.
/// All other owners, and a download or stream that the task becomes at the first response, get the body as it came.
extension Load {
  /// Whether a protocol class may send another response after this one.
  func mayFollow(_ first: URLResponse) -> Bool {
    // The transfer service asks the server again where it resumes a task.
    plan.background != nil || (first as? HTTPURLResponse)?.replacedPartBoundary != nil && isOfDataDelegate
  }

  private var isOfDataDelegate: Bool {
    guard case .delegate = plan.owner, case .data = plan.kind else { return false }
    return true
  }

  /// Begins to take a body apart, if the response says that it has such parts. A class that sends responses of the parts by itself has done
  /// that already.
  func beginParts(_ state: inout State, with response: URLResponse) {
    guard isOfDataDelegate, plan.background == nil else { return }
    guard state.response == nil, let delivery = state.delivery,
      let parts = ReplacedParts(response, isIncremental: isIncremental(state))
    else { return state.parts = nil }
    state.parts = parts
    // A body of parts may never be whole.
    state.sink = DelegateSink(delivery: delivery)
  }

  /// Takes bytes of the body apart, as a call of the delivery.
  func deliver(_ data: Data, apartBy parts: ReplacedParts) {
    do {
      deliver(try parts.take(data)[...], of: parts, consuming: data.count)
    } catch {
      let limit = MixedReplaceParser.largestHead
      let error = failure(
        .dataLengthExceedsMaximum, "The head of a part of the body is longer than \(limit) bytes.")
      abort(error)
      // The instance may have finished: its end is queued after this.
      update { if $0.ending.error == nil { $0.ending.error = error } }
    }
  }

  /// Delivers what is left of the last part, ahead of the completion.
  func deliverRest(of parts: ReplacedParts) {
    deliver(parts.finish()[...], of: parts, consuming: 0)
  }

  /// - Parameter count: bytes that the events were made of.
  private func deliver(
    _ events: ArraySlice<MixedReplaceParser.Event>, of parts: ReplacedParts, consuming count: Int
  ) {
    var events = events
    while let event = events.popFirst() {
      switch event {
      case .bytes(let data): if let data = parts.pass(data) { tellDelegate(data) }
      case .end: if let data = parts.endPart() { tellDelegate(data) }
      case .head(let fields):
        let rest = events
        return ask(about: parts.response(fields)) { self.deliver(rest, of: parts, consuming: count) }
      }
    }
    consumed(count)
  }

  /// Tells the delegate of a part, and goes on when that has answered. The part can be taken or the task cancelled: what is left of the
  /// body is no resource that a download could have.
  private func ask(about response: HTTPURLResponse, then proceed: @escaping @Sendable () -> Void) {
    let (delegate, task, delivery) = update { state in
      state.response = response
      return (state.delegates.data, state.task as? URLSessionDataTask, state.delivery)
    }
    guard let delegate, let task, let delivery, !delegate.lacks(.response) else { return proceed() }
    decide(
      awaiting: { answer in
        delivery.addNextQuestion(
          ask: { take in
            delegate.ask(
              .response, { $0.urlSession(self.session, dataTask: task, didReceive: response, completionHandler: $1) },
              answer: take)
          },
          then: answer, followedBy: proceed)
      },
      then: { (disposition: URLSession.ResponseDisposition) -> Void in
        if disposition == .cancel { self.cancel(task) }
      })
  }
}
