import Foundation
import URLLoading
import URLLoadingCombine

/// Loads a user and prints it, as Apple's article "Processing URL session data task results with Combine" does, with one task for two
/// subscribers; then another, from a second place where the first has none.
@main
struct CombineUsers {
  enum Failure: Error { case usage }

  static func main() async throws {
    guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]),
      let fallback = URL(string: CommandLine.arguments[2])
    else { throw Failure.usage }
    await shared(url)
    await recovered(from: url.appending(path: "missing"), by: fallback)
  }

  /// One load, whose body and response go to a subscriber each.
  private static func shared(_ url: URL) async {
    // In front of all closures: these are of the main actor then, as is what they are written in.
    let shared = URLSession.shared.dataTaskPublisher(for: url).receive(on: DispatchQueue.main).share()
    let users =
      shared
      .tryMap { element -> Data in
        guard let response = element.response as? HTTPURLResponse, response.statusCode == 200 else {
          throw URLError(.badServerResponse)
        }
        return element.data
      }
      .decode(type: User.self, decoder: JSONDecoder())
      .map { "user: \($0.name), \($0.userID)" }
      .catch { Just("no user: \($0)") }
    let statuses =
      shared
      .map { "status: \(($0.response as? HTTPURLResponse)?.statusCode ?? 0)" }
      .replaceError(with: "no status")
    await print([users.eraseToAnyPublisher(), statuses.eraseToAnyPublisher()])
  }

  /// Tries twice, then asks another server; a user of nobody's stands for what neither has.
  private static func recovered(from url: URL, by fallback: URL) async {
    let session = URLSession.shared
    let users = session.dataTaskPublisher(for: url)
      .receive(on: DispatchQueue.main)
      .tryMap { element -> Data in
        guard (element.response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return element.data
      }
      .retry(1)
      .catch { _ in session.dataTaskPublisher(for: fallback).map(\.data).mapError { $0 } }
      .decode(type: User.self, decoder: JSONDecoder())
      .replaceError(with: User(name: "-", userID: "-"))
      .receive(on: DispatchQueue.main)
      .map { "user: \($0.name), \($0.userID)" }
    await print([users.eraseToAnyPublisher()])
  }

  /// Prints the last line of each publisher, when all have ended.
  private static func print(_ publishers: [AnyPublisher<String, Never>]) async {
    var lines = publishers.map { _ in "" }
    var cancellables: Set<AnyCancellable> = []
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for (index, publisher) in publishers.enumerated() {
      publisher.sink(receiveCompletion: { _ in end.yield() }, receiveValue: { lines[index] = $0 })
        .store(in: &cancellables)
    }
    for await _ in ends.prefix(publishers.count) {}
    for line in lines { Swift.print(line) }
  }
}
