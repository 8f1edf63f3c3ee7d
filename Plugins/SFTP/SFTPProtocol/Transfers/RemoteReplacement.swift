/// Renames a file over another one: in one step where the server has OpenSSH's extension. Else the other file is renamed first, and back
/// on failure; for a moment no file has the name, but never half of one.
///
/// Mutable state: none; used on the connection's thread.
struct RemoteReplacement {
  let client: SFTPClient
  let from: [UInt8]
  let to: [UInt8]
  /// Whether a file that has the name may be replaced.
  let replaces: Bool
  let record: UploadRecord

  func start(_ reply: @escaping SFTPClient.Reply<Void>) {
    guard replaces else { return client.rename(from, to: to, reply) }
    guard client.has(.posixRename) else { return renameInSteps(reply) }
    client.posixRename(from, to: to) { result in
      if case .failure(let failure) = result, failure.status == .unsupported {
        renameInSteps(reply)
      } else {
        reply(result)
      }
    }
  }

  private func renameInSteps(_ reply: @escaping SFTPClient.Reply<Void>) {
    client.rename(from, to: to) { result in
      // Version 3 has no status for a name that is taken.
      guard case .failure(let failure) = result, failure.status != nil else { return reply(result) }
      let aside = RemotePath.temporary(for: to)
      let mark = record.begin(aside)
      client.rename(to, to: aside) { moved in
        guard case .success = moved else {
          if case .failure(.connectionLost) = moved { record.giveUp(mark) } else { record.end(mark) }
          return reply(.failure(failure))
        }
        client.rename(from, to: to) { result in
          switch result {
          case .success:
            record.remove(aside, mark, by: client)
            reply(result)
          // Whoever is told may write to the name.
          case .failure: putBack(aside, mark) { reply(result) }
          }
        }
      }
    }
  }

  private func putBack(_ aside: [UInt8], _ mark: UploadRecord.Mark?, _ then: @escaping () -> Void) {
    client.beginWork()
    client.rename(aside, to: to) { result in
      if case .success = result { record.end(mark) } else { record.giveUp(mark) }
      then()
      client.endWork()
    }
  }
}
