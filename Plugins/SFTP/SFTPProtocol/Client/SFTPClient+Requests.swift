/// The requests by name. Paths are absolute or relative to the login directory, and end in no slash.
extension SFTPClient {
  // MARK: Files

  /// Opens a file, which the caller has to close.
  /// - Parameters:
  ///   - permissions: those of one that is created, of which the server's mask is taken; nil for the server's default.
  ///   - willSend: called when the server may have one more file open; false withdraws the request.
  func open(
    _ path: [UInt8], _ flags: SFTPRequest.OpenFlags, permissions: UInt32? = nil,
    willSend: @escaping () -> Bool = { true }, _ reply: @escaping Reply<RemoteHandle>
  ) {
    let attributes = FileAttributes(permissions: permissions)
    submitOpen(.open, [.string(path[...]), .uint32(flags.rawValue)] + attributes.fields, willSend: willSend, reply)
  }

  func close(_ handle: RemoteHandle, _ reply: @escaping Reply<Void> = { _ in }) {
    submit(
      .close, [.string(handle.bytes[...])],
      .status { [weak self] result in
        self?.releaseHandle()
        reply(result)
      })
  }

  /// Reads up to `count` bytes, which should not be above ``largestRead``.
  func read(_ handle: RemoteHandle, offset: UInt64, count: Int, _ receive: @escaping (ReadEvent) -> Void) {
    submit(
      .read, [.string(handle.bytes[...]), .uint64(offset), .uint32(UInt32(clamping: count))], .read(receive))
  }

  /// Writes bytes, which should not be more than ``largestWrite``.
  func write(
    _ handle: RemoteHandle, offset: UInt64, _ bytes: ArraySlice<UInt8>, _ reply: @escaping Reply<Void>
  ) {
    submit(.write, [.string(handle.bytes[...]), .uint64(offset), .string(bytes)], .status(reply))
  }

  /// Has the server copy bytes from one open file to the same place of another; fails on a server without the extension.
  /// - Parameter count: how many; 0 for all up to the end.
  func copyData(
    from source: RemoteHandle, to target: RemoteHandle, offset: UInt64, count: UInt64, _ reply: @escaping Reply<Void>
  ) {
    submit(
      .extended,
      [
        .string(ServerExtension.copyData.bytes[...]), .string(source.bytes[...]), .uint64(offset), .uint64(count),
        .string(target.bytes[...]), .uint64(offset),
      ], .status(reply))
  }

  // MARK: Attributes

  /// Attributes of a path, links followed.
  func stat(_ path: [UInt8], _ reply: @escaping Reply<FileAttributes>) {
    submit(.stat, [.string(path[...])], .attributes(reply))
  }

  /// Attributes of a path, links not followed.
  func lstat(_ path: [UInt8], _ reply: @escaping Reply<FileAttributes>) {
    submit(.lstat, [.string(path[...])], .attributes(reply))
  }

  func fstat(_ handle: RemoteHandle, _ reply: @escaping Reply<FileAttributes>) {
    submit(.fstat, [.string(handle.bytes[...])], .attributes(reply))
  }

  func fsetstat(_ handle: RemoteHandle, _ attributes: FileAttributes, _ reply: @escaping Reply<Void>) {
    submit(.fsetstat, [.string(handle.bytes[...])] + attributes.fields, .status(reply))
  }

  // MARK: Directories and names

  /// Opens a directory for ``readdir(_:_:)``, which the caller has to close.
  func opendir(
    _ path: [UInt8], willSend: @escaping () -> Bool = { true }, _ reply: @escaping Reply<RemoteHandle>
  ) {
    submitOpen(.opendir, [.string(path[...])], willSend: willSend, reply)
  }

  /// The next entries of a directory; at its end the status `endOfFile`.
  func readdir(_ handle: RemoteHandle, _ reply: @escaping Reply<[RemoteName]>) {
    submit(.readdir, [.string(handle.bytes[...])], .names(reply))
  }

  func remove(_ path: [UInt8], _ reply: @escaping Reply<Void>) {
    submit(.remove, [.string(path[...])], .status(reply))
  }

  /// Makes a directory.
  /// - Parameter permissions: its permissions, of which the server's mask is taken; nil for the server's default.
  func mkdir(_ path: [UInt8], permissions: UInt32? = nil, _ reply: @escaping Reply<Void>) {
    submit(.mkdir, [.string(path[...])] + FileAttributes(permissions: permissions).fields, .status(reply))
  }

  /// Removes an empty directory.
  func rmdir(_ path: [UInt8], _ reply: @escaping Reply<Void>) {
    submit(.rmdir, [.string(path[...])], .status(reply))
  }

  /// Renames a file; fails where the new name is taken.
  func rename(_ path: [UInt8], to target: [UInt8], _ reply: @escaping Reply<Void>) {
    submit(.rename, [.string(path[...]), .string(target[...])], .status(reply))
  }

  /// Renames a file and replaces one that has the new name, in one step; fails on a server without the extension.
  func posixRename(_ path: [UInt8], to target: [UInt8], _ reply: @escaping Reply<Void>) {
    submit(
      .extended, [.string(ServerExtension.posixRename.bytes[...]), .string(path[...]), .string(target[...])],
      .status(reply))
  }

  /// The absolute form of a path; of `.`, the login directory.
  func realpath(_ path: [UInt8], _ reply: @escaping Reply<[UInt8]>) { submitForName(.realpath, path, reply) }

  func readlink(_ path: [UInt8], _ reply: @escaping Reply<[UInt8]>) { submitForName(.readlink, path, reply) }

  private func submitForName(_ type: PacketType, _ path: [UInt8], _ reply: @escaping Reply<[UInt8]>) {
    submit(
      type, [.string(path[...])],
      .names { result in
        reply(
          result.flatMap { names in
            guard names.count == 1, let name = names.first else {
              return .failure(.unusableAnswer("\(names.count) names where one was asked for"))
            }
            return .success(name.bytes)
          })
      })
  }
}
