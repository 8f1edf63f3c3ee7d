import Synchronization

/// Loads that tell their end by a callback, which begins the next one, as programs without async functions do it.
///
/// Mutable state: atomics.
public final class CallbackChain: Sendable {
  /// How a load ended: the bytes that it moved.
  public typealias Completion = @Sendable (Result<Int, any Error>) -> Void
  /// Begins the load of a number.
  public typealias Operation = @Sendable (Int, @escaping Completion) -> Void

  private let count: Int
  private let operation: Operation
  private let completion: Completion
  private let next = Counter()
  private let finished = Atomic(0)
  private let bytes = Atomic(0)
  private let hasFailed = Atomic(false)

  /// - Parameter completion: gets the bytes of all loads once the last has ended, or the first failure.
  init(count: Int, operation: @escaping Operation, completion: @escaping Completion) {
    self.count = count
    self.operation = operation
    self.completion = completion
  }

  func beginNext() {
    let number = next.take()
    guard number < count else { return }
    operation(number) { self.didEnd($0) }
  }

  private func didEnd(_ result: Result<Int, any Error>) {
    switch result {
    case .success(let moved):
      bytes.wrappingAdd(moved, ordering: .relaxed)
      beginNext()
      if finished.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == count {
        completion(.success(bytes.load(ordering: .relaxed)))
      }
    case .failure(let error):
      if !hasFailed.exchange(true, ordering: .relaxed) { completion(.failure(error)) }
    }
  }
}
