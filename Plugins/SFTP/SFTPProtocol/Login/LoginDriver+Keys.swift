/// Finds, offers and opens keys, and signs with them.
extension LoginDriver {
  func findKeys() {
    activity = .waiting
    let (identities, agent) = (driver.options.identities, agent)
    driver.help({ LoginKeys.find(identities, agent: agent) }) { driver, result in
      driver.withLogin { login in
        login.keys = result.keys
        login.problems += result.problems
        login.perform(login.machine.foundKeys(result.keys.map { $0.publicKey?.type }))
      }
    }
  }

  func tryKey(_ index: Int, _ algorithm: KeyAlgorithm) {
    driver.session?.signing = SignatureRequest.none
    let publicKey = openKeys[index]?.publicKey ?? keys[index].publicKey
    guard let publicKey else { return openUnknownKey(index) }
    record(keys[index].name)
    activity = .key(index, blob: publicKey.blob(for: algorithm))
  }

  /// Opens a key whose public half is not known, to offer it.
  private func openUnknownKey(_ index: Int) {
    activity = .waiting
    open(index, attempt: 0) { login in
      if let key = login.openKeys[index] {
        login.perform(login.machine.opened(index, type: key.publicKey.type))
      } else {
        login.perform(login.machine.passedOver(index))
      }
    }
  }

  func refusedKey(_ index: Int, _ session: SSHSession) {
    switch session.signing {
    // No passphrase, or the agent refused.
    case .refused: perform(machine.passedOver(index))
    case .signed: perform(machine.refusedKey(wasSigned: true))
    case .none, .wanted, .underWay: perform(machine.refusedKey(wasSigned: false))
    }
  }

  func sign(_ data: [UInt8], with index: Int) {
    guard let algorithm = SignatureRequest.algorithm(in: data) else { return signed(nil) }
    switch keys[index].origin {
    case .file:
      if let key = openKeys[index] { return signed(data.withUnsafeBytes { key.sign($0, algorithm) }) }
      open(index, attempt: 0) { login in
        login.signed(login.openKeys[index].flatMap { key in data.withUnsafeBytes { key.sign($0, algorithm) } })
      }
    case .agent(let path):
      guard let publicKey = keys[index].publicKey else { return signed(nil) }
      let agent = agent
      driver.help({ agent.sign(data, with: publicKey, algorithm, at: path) }) { driver, result in
        driver.withLogin { login in
          switch result {
          case .success(let signature): login.signed(signature)
          case .failure(let problem):
            login.problems.append("\(login.keys[index].name): \(problem.reason)")
            login.signed(nil)
          }
        }
      }
    }
  }

  private func signed(_ signature: [UInt8]?) {
    driver.session?.signing = signature.map { .signed($0) } ?? .refused
  }

  /// Opens a key file, with a passphrase where it needs one, and calls `then` in any case.
  private func open(
    _ index: Int, attempt: Int, passphrase: String? = nil, _ then: @escaping @Sendable (LoginDriver) -> Void
  ) {
    guard case .file(let file) = keys[index].origin else { return then(self) }
    let agent = agent
    // Slow by design (bcrypt), so not on the connection's thread.
    let work: @Sendable () -> KeyOpening = {
      ExitGate.shared.inside { file.open(passphrase: passphrase, isCancelled: { agent.isCancelled }) }
    }
    driver.help(work) { driver, opening in
      driver.withLogin { login in
        switch opening {
        case .key(let key):
          login.openKeys[index] = key
          then(login)
        case .unsupported(let why):
          login.problems.append("\(file.path): \(why)")
          then(login)
        case .needsPassphrase: login.askForPassphrase(index, file.path, attempt: 0, then)
        case .wrongPassphrase:
          if attempt + 1 < LoginMachine.largestAttemptCount {
            login.askForPassphrase(index, file.path, attempt: attempt + 1, then)
          } else {
            driver.options.authenticator.forgetPassphrase(forKeyFile: file.path)
            login.problems.append("\(file.path): the passphrase is wrong")
            then(login)
          }
        }
      }
    }
  }

  private func askForPassphrase(
    _ index: Int, _ path: String, attempt: Int, _ then: @escaping @Sendable (LoginDriver) -> Void
  ) {
    let authenticator = driver.options.authenticator
    driver.ask({ await authenticator.passphrase(forKeyFile: path, attempt: attempt) }) { driver, passphrase in
      driver.withLogin { login in
        if let passphrase { return login.open(index, attempt: attempt, passphrase: passphrase, then) }
        login.problems.append("\(path): \(attempt == 0 ? "no passphrase was given" : "the passphrase is wrong")")
        then(login)
      }
    }
  }
}
