/// Work for the loop that is an object anyway, and so needs no closure.
protocol LoopWork: AnyObject, Sendable {
  /// Called once, on the loop's thread.
  func run()
}
