import URLLoading
import URLLoadingCombine

/// Closures in here are of the main actor.
extension Model {
  func load(by chain: String) async {
    let publisher = URLSession.shared.dataTaskPublisher(for: request)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    var cancellables: Set<AnyCancellable> = []
    switch chain {
    case "sink":
      publisher.sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0.data) })
        .store(in: &cancellables)
    case "map":
      publisher.map { self.take($0.data) }.receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: {}).store(in: &cancellables)
    case "receive":
      publisher.receive(on: DispatchQueue.main).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "run loop":
      publisher.receive(on: RunLoop.main).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "main session":
      let session = URLSession(configuration: .default, delegate: nil, delegateQueue: .main)
      session.dataTaskPublisher(for: request).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "sendable":
      publisher.map { @Sendable in $0.data }.receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "nonisolated":
      bodies(publisher).receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "values":
      do {
        for try await (data, _) in publisher.values { take(data) }
      } catch {
        take(Data("\(error)".utf8))
      }
      end.finish()
    default: end.finish()
    }
    for await _ in ends {}
  }

  /// Closures in here are of no actor.
  private nonisolated func bodies(_ publisher: URLSession.DataTaskPublisher) -> AnyPublisher<Data, URLError> {
    publisher.map { $0.data }.eraseToAnyPublisher()
  }
}
