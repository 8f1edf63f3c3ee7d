/// Removing, making, moving and copying: see ``FileChange``.
extension FileProtocol {
  /// Bytes that are copied in a step.
  private static let copiedInAStep = 8 << 20

  /// Carries out what the request does to files; loads where that is nothing.
  /// - Parameter permissions: those of a directory that is made; nil for the default.
  func beginChange(_ permissions: UInt16?) {
    do throws(URLError) {
      guard let change = try FileChange(request, permissions) else { return begin() }
      guard try change.carryOut() else { return try copy(change) }
      // Nothing is carried out a second time.
      pump.stop()
      didStore()
    } catch {
      fail(error)
    }
  }

  /// Copies a file, in steps.
  private func copy(_ change: FileChange) throws(URLError) {
    let source = try change.source()
    guard let record = sessionClient?.session.component(UnfinishedUploads.self) else { return }
    let target = try state.withLock { (state: inout State) throws(URLError) -> UploadTarget? in
      guard !state.isStopped else { return nil }
      let target = try change.makeTarget(of: source, record)
      state.target = target
      return target
    }
    guard let target else { return }
    pump.start {
      do {
        if try target.copy(atMost: Self.copiedInAStep, from: source.descriptor) > 0 {
          self.sessionClient?.urlProtocol(self, didSendBodyData: target.written)
          return .more
        }
        guard !self.pump.isStopped else { return .done }
        try change.commit(target, source)
        self.didStore()
      } catch let error as POSIXError {
        self.fail(change.copyFailure(error.code.rawValue, isTorn: target.isTorn))
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
      return .done
    }
  }
}
