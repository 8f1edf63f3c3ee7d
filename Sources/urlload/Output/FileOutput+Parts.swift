import URLLoading
internal import URLLoadingBase

/// What a file has of an earlier load, and leaves to a later one.
extension FileOutput {
  /// Whether there is a file of that name already.
  var exists: Bool { path.map { access($0, F_OK) == 0 } ?? false }

  /// The part of a URL that an earlier load has left, or one of another URL where its place is taken by that.
  func part(of url: URL) -> PartFile? {
    let (directory, name) = state.withLock { ($0.directory, $0.name) }
    guard let name else { return PartFile.find(url, in: directory) }
    let parts = PartFile.all(named: name, in: directory)
    return parts.filter { $0.record.isOf(url) }.max { $0.count < $1.count } ?? parts.first
  }

  /// Resumes in a part file, which changes with the first bytes that come.
  func adopt(_ part: PartFile) throws(Failure) {
    try state.withLock { state throws(Failure) in
      let descriptor = try PartialFiles.shared.adopt(part.path, for: self)
      (state.descriptor, state.partial, state.isInPlace) = (descriptor, part.path, true)
      // Another process may have had it until now.
      guard PartFile(path: part.path) == part, lseek(descriptor, off_t(part.count), SEEK_SET) >= 0 else {
        throw Failure(inUse: part.path)
      }
      (state.adopted, state.record, state.recordStart) = (part, part.record, part.recordStart)
      state.written = part.count
    }
  }

  /// Begins with the first bytes of the file that is there.
  func copyBeginning(_ count: Int64) throws(Failure) {
    try state.withLock { state throws(Failure) in
      let path = FileNames.path(of: state.name ?? "", in: state.directory)
      let source = open(path, O_RDONLY | O_CLOEXEC)
      guard source >= 0 else { throw Failure(reading: path, errno) }
      defer { close(source) }
      let (descriptor, partial) = try PartialFiles.shared.create(in: state.directory, for: self)
      (state.descriptor, state.partial) = (descriptor, partial)
      if let mode = state.mode { fchmod(descriptor, mode) }
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while state.written < count {
        let wanted = min(buffer.count, Int(count - state.written))
        let new = DescriptorIO.uninterrupted { read(source, &buffer, wanted) }
        guard new > 0 else { throw Failure(reading: path, new == 0 ? ENODATA : errno) }
        try DescriptorWriter.write(buffer[..<new], to: descriptor, path)
        state.written += Int64(new)
      }
    }
  }

  func keep() -> KeptPart? {
    state.withLock { state in
      guard state.descriptor >= 0, let partial = state.partial else { return nil }
      defer {
        // Of what was kept nothing is left under the hidden name.
        if !state.isInPlace || state.written == 0 { PartialFiles.shared.remove(partial) }
        state.release()
      }
      guard state.written > 0, let record = state.record else { return nil }
      let isResumable = record.resumption != nil
      if state.isInPlace, !state.hasChanged {
        return KeptPart(path: partial, count: state.written, isResumable: isResumable)
      }
      let start = state.isInPlace ? state.recordStart : nil
      guard let count = PartFile.close(state.descriptor, with: record, count: state.written, recordStart: start) else {
        return nil
      }
      if state.isInPlace { return KeptPart(path: partial, count: count, isResumable: isResumable) }
      guard let name = state.name,
        let path = PartFile.place(partial, record, count: count, named: name, in: state.directory)
      else { return nil }
      return KeptPart(path: path, count: count, isResumable: isResumable)
    }
  }
}

extension FileOutput.State {
  /// Has the record of a part that is written in place stand after the bytes that come now, so that whenever the process is killed there
  /// is a part with a record.
  mutating func makeRoom(for bytes: Int64) throws(Failure) {
    guard isInPlace else { return }
    if written + bytes > recordStart, let record {
      let start = written + bytes + PartFile.room
      try PartFile.write(record, count: written, at: start, to: descriptor)
      recordStart = start
    }
    hasChanged = true
  }

  /// Leaves the bytes of the resource alone.
  mutating func cutRecord() throws(Failure) {
    let path = partial ?? ""
    // Another process may have put its own part into the place of this one.
    guard DescriptorIO.isFile(descriptor, at: path) else { throw Failure(inUse: path) }
    guard ftruncate(descriptor, off_t(written)) == 0 else { throw Failure(writing: path, errno) }
    (recordStart, hasChanged) = (written, true)
    if let mode { fchmod(descriptor, mode) }
  }

  /// Closes the file, and leaves it alone from now on.
  mutating func release() {
    if descriptor >= 0 { close(descriptor) }
    if let partial { PartialFiles.shared.forget(partial) }
    (descriptor, partial, isInPlace, adopted, hasChanged, written) = (-1, nil, false, nil, false, 0)
  }
}

extension Failure {
  /// A part file that another process writes.
  init(inUse path: String) {
    self.init(
      .localFile, "another command resumes this part file", path, advice: "let it end, or name another file with -o")
  }
}
