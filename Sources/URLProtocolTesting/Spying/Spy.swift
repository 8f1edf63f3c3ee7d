import URLLoading

/// A class whose instances each make an instance of the class that is tested, and pass everything on in both directions.
///
/// Mutable state: in `instance`, which guards it.
// Safe to share: as said above.
final class Spy<Subject: URLProtocol>: URLProtocol, @unchecked Sendable {
  // Safe to share: the subject is called as the session calls the spy.
  private struct Instance: @unchecked Sendable {
    var subject: Subject?
    var ledger: Ledger?
    var number = 0
  }

  private let instance = Observed(Instance())
  private let stop = AwaitedStop()

  override class func canInit(with request: URLRequest) -> Bool { Subject.canInit(with: request) }
  override class func canInit(with task: URLSessionTask) -> Bool { Subject.canInit(with: task) }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { Subject.canonicalRequest(for: request) }
  override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool {
    Subject.requestIsCacheEquivalent(a, to: b)
  }
  override class var capabilities: Capabilities { Subject.capabilities }

  override func startLoading() {
    guard let sessionClient = client as? any URLProtocolSessionClient, let task,
      let ledger = (sessionClient.session.delegate as? Recorder)?.ledger
    else {
      client?.urlProtocol(
        self, didFailWithError: URLError(.unknown, message: "The kit's own session is gone.", url: request.url))
      return
    }
    let number = ledger.add(request.url)
    let subject = Subject(
      task: task, cachedResponse: cachedResponse,
      client: SpyClient(sessionClient, ledger, number: number, task: task, stop: stop))
    if subject.task == nil { subject.task = task }
    instance.update { $0 = Instance(subject: subject, ledger: ledger, number: number) }
    ledger.update(number) { $0.starts += 1 }
    stop.willStart()
    subject.startLoading()
    stop.didStart()
  }

  override func stopLoading() {
    let instance = instance.update { instance in
      // What is left of the instance from now on is its own doing.
      defer { instance.subject = nil }
      return instance
    }
    instance.subject?.stopLoading()
    instance.ledger?.update(instance.number) { $0.stops += 1 }
    stop.didStop()
  }
}

/// What a spy can be made for: every protocol class. A protocol, because only the class behind one can become a type argument.
private protocol Spied: URLProtocol {}

extension URLProtocol: Spied {}

/// The spy's class for a class that is known at run time only.
// Not optimized: Swift 6.3 would take the static type, URLProtocol, for the type that is behind it.
@_optimize(none)
func spyClass(for protocolClass: URLProtocol.Type) -> AnyClass {
  func make<Subject: Spied>(_ subject: Subject.Type) -> AnyClass { Spy<Subject>.self }
  let spied: any Spied.Type = protocolClass
  return make(spied)
}
