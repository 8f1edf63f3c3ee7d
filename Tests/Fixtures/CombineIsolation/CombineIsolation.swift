import Foundation
import URLLoading
import URLLoadingCombine

/// Loads `Hi` by the chain that its argument names, in code of the main actor, and prints it.
@main
struct CombineIsolation {
  static func main() async {
    let model = Model()
    await model.load(by: CommandLine.arguments.last ?? "")
    print(model.text)
  }
}

@MainActor
final class Model {
  var text = ""
  private var cancellables: Set<AnyCancellable> = []
  private let publisher = URLSession.shared.dataTaskPublisher(for: URL(filePath: "/dev/null").data("Hi"))

  func load(by chain: String) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    switch chain {
    case "sink":
      publisher.sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0.data) })
        .store(in: &cancellables)
    case "map":
      publisher.map { $0.data }.receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "receive":
      publisher.receive(on: DispatchQueue.main).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "run loop":
      publisher.receive(on: RunLoop.main).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "main session":
      let session = URLSession(configuration: .default, delegate: nil, delegateQueue: .main)
      session.dataTaskPublisher(for: publisher.request).map { $0.data }
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "sendable":
      publisher.map { @Sendable in $0.data }.receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0) }).store(in: &cancellables)
    case "nonisolated":
      texts().receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.text = $0 }).store(in: &cancellables)
    case "values":
      do {
        for try await (data, _) in publisher.values { take(data) }
      } catch {
        text = "\(error)"
      }
      end.finish()
    default: end.finish()
    }
    for await _ in ends {}
  }

  /// Closures in here are of no actor.
  private nonisolated func texts() -> AnyPublisher<String, URLError> {
    URLSession.shared.dataTaskPublisher(for: URL(filePath: "/dev/null").data("Hi"))
      .map { String(decoding: $0.data, as: UTF8.self) }.eraseToAnyPublisher()
  }

  private func take(_ data: Data) {
    text = String(decoding: data, as: UTF8.self)
  }
}

extension URL {
  /// A URL that has a text inside; this one where there is none.
  func data(_ text: String) -> URL { URL(string: "data:,\(text)") ?? self }
}
