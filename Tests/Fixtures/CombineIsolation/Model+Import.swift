import OpenCombine
import URLLoading
import URLLoadingCombine

/// What a file gets that imports OpenCombine by itself: the compiler checks on which queue closures of the main actor are called.
extension Model {
  func loadByImport() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let cancellable = URLSession.shared.dataTaskPublisher(for: request)
      .sink(receiveCompletion: { _ in end.finish() }, receiveValue: { self.take($0.data) })
    for await _ in ends {}
    withExtendedLifetime(cancellable) {}
  }
}
