import Glibc
internal import URLLoadingCSSH2

/// libssh2's callbacks, which come during calls of ours, on the connection's thread.
extension SSHSession {
  func installCallbacks(_ session: OpaquePointer?) {
    let receive: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int32, Context?) -> Int = {
      _, buffer, count, _, context in
      guard let buffer, let session = SSHSession.from(context) else { return -Int(ECONNRESET) }
      session.beginsKeyLogin = false
      return session.socket.receive(buffer, count)
    }
    let send: @convention(c) (Int32, UnsafeRawPointer?, Int, Int32, Context?) -> Int = { _, bytes, count, _, context in
      SSHSession.from(context)?.socket.enqueue(UnsafeRawBufferPointer(start: bytes, count: count))
      return count
    }
    let disconnect:
      @convention(c) (
        OpaquePointer?, Int32, UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, Int32, Context?
      ) -> Void = { _, _, text, count, _, _, context in
        guard let text, count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: text, count: min(Int(count), 1024))
        SSHSession.from(context)?.serverDisconnects(String(decoding: bytes, as: UTF8.self))
      }
    cssh2_set_callback(session, LIBSSH2_CALLBACK_RECV, unsafeBitCast(receive, to: UnsafeMutableRawPointer.self))
    cssh2_set_callback(session, LIBSSH2_CALLBACK_SEND, unsafeBitCast(send, to: UnsafeMutableRawPointer.self))
    cssh2_set_callback(
      session, LIBSSH2_CALLBACK_DISCONNECT, unsafeBitCast(disconnect, to: UnsafeMutableRawPointer.self))
  }

  typealias Context = UnsafeMutablePointer<UnsafeMutableRawPointer?>

  static func from(_ context: Context?) -> SSHSession? {
    context?.pointee.map { Unmanaged<SSHSession>.fromOpaque($0).takeUnretainedValue() }
  }

  static let sign:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int>?,
      UnsafePointer<UInt8>?, Int, Context?
    ) -> Int32 = { _, signature, signatureCount, data, count, context in
      guard let session = SSHSession.from(context), let signature, let signatureCount, let data else { return -1 }
      switch session.signing {
      case .none:
        session.signing = .wanted(Array(UnsafeBufferPointer(start: data, count: count)))
        return LIBSSH2_ERROR_EAGAIN
      case .wanted, .underWay: return LIBSSH2_ERROR_EAGAIN
      case .signed(let bytes):
        // libssh2 frees it.
        guard let copy = malloc(max(1, bytes.count)) else { return -1 }
        copy.copyMemory(from: bytes, byteCount: bytes.count)
        signature.pointee = copy.assumingMemoryBound(to: UInt8.self)
        signatureCount.pointee = bytes.count
        return 0
      case .refused: return -1
      }
    }

  static let answer:
    @convention(c) (
      UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, Int32, Int32,
      UnsafePointer<LIBSSH2_USERAUTH_KBDINT_PROMPT>?, UnsafeMutablePointer<LIBSSH2_USERAUTH_KBDINT_RESPONSE>?, Context?
    ) -> Void = { _, _, _, _, count, prompts, responses, context in
      guard let session = SSHSession.from(context) else { return }
      let prompts = UnsafeBufferPointer(start: prompts, count: prompts == nil ? 0 : max(0, Int(count)))
      let questions = prompts.map { prompt in
        let text = UnsafeRawBufferPointer(start: prompt.text, count: prompt.text == nil ? 0 : Int(prompt.length))
        return InteractivePrompt(text: String(decoding: text, as: UTF8.self), echoes: prompt.echo != 0)
      }
      guard let answers = session.onQuestions?(questions) else { return }
      for (index, answer) in answers.prefix(questions.count).enumerated() {
        // libssh2 frees it.
        guard let copy = strdup(answer) else { return }
        responses?[index].text = copy
        responses?[index].length = UInt32(clamping: strlen(copy))
      }
    }
}
