import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct LoginMachineTests {
  private func machine(_ methods: [String], keys: [String?]? = nil, isOpenSSH: Bool = true) -> LoginMachine {
    var machine = LoginMachine(isOpenSSH: isOpenSSH, libraryChooses: false)
    #expect(machine.start() == .listMethods)
    let action = machine.listed(methods)
    if let keys {
      #expect(action == .findKeys)
      _ = machine.foundKeys(keys)
    }
    return machine
  }

  @Test func keysThenQuestionsThenPassword() {
    var machine = LoginMachine(isOpenSSH: true, libraryChooses: false)
    #expect(machine.start() == .listMethods)
    #expect(machine.listed(["password", "keyboard-interactive", "publickey"]) == .findKeys)
    #expect(machine.foundKeys(["ssh-ed25519", "ssh-rsa", "sk-ssh-ed25519@openssh.com"]) == .tryKey(0, .ed25519))
    #expect(machine.refusedKey(wasSigned: false) == .tryKey(1, .rsaSHA512))
    #expect(machine.refusedKey(wasSigned: false) == .tryKey(1, .rsaSHA256))
    #expect(machine.refusedKey(wasSigned: false) == .answerQuestions(attempt: 0))
    #expect(machine.refusedAnswers(wasAnswered: true) == .answerQuestions(attempt: 1))
    #expect(machine.refusedAnswers(wasAnswered: false) == .givePassword(attempt: 0))
    // It may be that one thing more is needed now.
    #expect(machine.refusedPassword(wasGiven: true) == .listMethods)
    #expect(machine.listed(["password", "keyboard-interactive", "publickey"]) == .givePassword(attempt: 1))
    #expect(machine.refusedPassword(wasGiven: true) == .givePassword(attempt: 2))
    #expect(machine.refusedPassword(wasGiven: true) == .giveUp)
  }

  @Test func plainRSAForOthers() {
    var machine = LoginMachine(isOpenSSH: false, libraryChooses: false)
    _ = machine.start()
    _ = machine.listed(["publickey"])
    #expect(machine.foundKeys(["ssh-rsa"]) == .tryKey(0, .rsaSHA512))
    #expect(machine.refusedKey(wasSigned: false) == .tryKey(0, .rsaSHA1))
    #expect(machine.refusedKey(wasSigned: false) == .giveUp)
  }

  /// libssh2 1.11 chooses among the server's algorithms, and a key of which the server takes none spoils those after it.
  @Test(arguments: [true, false]) func rsaComesLastWhereTheLibraryChooses(isOpenSSH: Bool) {
    var machine = LoginMachine(isOpenSSH: isOpenSSH, libraryChooses: true)
    _ = machine.start()
    _ = machine.listed(["publickey"])
    guard case .tryKey(1, _) = machine.foundKeys(["ssh-rsa", nil, "ssh-ed25519"]) else {
      Issue.record("not tried in order")
      return
    }
    #expect(machine.opened(1, type: "ssh-rsa") == .tryKey(2, .ed25519))
    for key in [0, 1] {
      #expect(machine.refusedKey(wasSigned: false) == .tryKey(key, .rsaSHA1))
      // OpenSSH's server may name what it does not take.
      if isOpenSSH { #expect(machine.refusedKey(wasSigned: false) == .tryKey(key, .rsaSHA256)) }
    }
    #expect(machine.refusedKey(wasSigned: false) == .giveUp)
  }

  @Test func moreThanOneKeyMayBeNeeded() {
    var machine = machine(["publickey"], keys: ["ssh-ed25519", "ecdsa-sha2-nistp256"])
    #expect(machine.refusedKey(wasSigned: true) == .listMethods)
    #expect(machine.listed(["publickey"]) == .tryKey(1, .ecdsa256))
    #expect(machine.refusedKey(wasSigned: true) == .listMethods)
    #expect(machine.listed(["password"]) == .givePassword(attempt: 0))
    #expect(machine.accepted() == .finish)
    #expect(machine.refusedPassword(wasGiven: true) == .finish)
  }

  @Test func keysThatHaveToBeOpenedFirst() {
    var machine = LoginMachine(isOpenSSH: true, libraryChooses: false)
    _ = machine.start()
    _ = machine.listed(["publickey"])
    guard case .tryKey(0, _) = machine.foundKeys([nil, "ssh-ed25519"]) else {
      Issue.record("not tried")
      return
    }
    #expect(machine.opened(0, type: "ssh-rsa") == .tryKey(0, .rsaSHA512))
    #expect(machine.passedOver(0) == .tryKey(1, .ed25519))
    #expect(machine.passedOver(1) == .giveUp)
  }

  /// Whatever a server says, it ends.
  @Test func endsWithAnyServer() {
    var random = SeededGenerator(seed: 1)
    let all = ["publickey", "password", "keyboard-interactive", "hostbased", ""]
    for _ in 0..<500 {
      var machine = LoginMachine(
        isOpenSSH: .random(using: &random), libraryChooses: .random(using: &random))
      var action = machine.start()
      var steps = 0
      while action != .giveUp, steps < 1000 {
        steps += 1
        switch action {
        case .listMethods: action = machine.listed(all.filter { _ in .random(using: &random) })
        case .findKeys:
          action = machine.foundKeys(
            (0..<Int.random(in: 0...50, using: &random)).map { _ in
              ["ssh-rsa", "ssh-ed25519", nil].randomElement(using: &random) ?? nil
            })
        case .tryKey(let key, _):
          switch Int.random(in: 0..<4, using: &random) {
          case 0: action = machine.passedOver(key)
          case 1: action = machine.opened(key, type: "ssh-rsa")
          default: action = machine.refusedKey(wasSigned: .random(using: &random))
          }
        case .answerQuestions: action = machine.refusedAnswers(wasAnswered: .random(using: &random))
        case .givePassword: action = machine.refusedPassword(wasGiven: .random(using: &random))
        case .finish, .giveUp: break
        }
      }
      #expect(steps < 100)
    }
  }

  @Test func agentsAnswersAreNotTrusted() {
    var answer = SSHFieldWriter()
    answer.byte(12)
    answer.uint32(2)
    for type in ["ssh-ed25519", "ssh-rsa"] {
      var blob = SSHFieldWriter()
      blob.string(type)
      blob.string([1, 2, 3])
      answer.string(blob.bytes)
      answer.string("comment")
    }
    #expect(AgentMessage.keys(in: answer.bytes)?.map(\.type) == ["ssh-ed25519", "ssh-rsa"])
    for count in answer.bytes.indices { #expect(AgentMessage.keys(in: Array(answer.bytes.prefix(count))) == nil) }
    var liar = SSHFieldWriter()
    liar.byte(12)
    liar.uint32(.max)
    #expect(AgentMessage.keys(in: liar.bytes) == nil)
    var signature = SSHFieldWriter()
    signature.string("rsa-sha2-512")
    signature.string([9, 9])
    var reply = SSHFieldWriter()
    reply.byte(14)
    reply.string(signature.bytes)
    #expect(AgentMessage.signature(in: reply.bytes, .rsaSHA512) == [9, 9])
    #expect(AgentMessage.signature(in: reply.bytes, .rsaSHA1) == nil, "an old agent signs as it likes")
    for count in reply.bytes.indices {
      #expect(AgentMessage.signature(in: Array(reply.bytes.prefix(count)), .rsaSHA512) == nil)
    }
    #expect(AgentMessage.signature(in: [5], .ed25519) == nil)
  }
}
