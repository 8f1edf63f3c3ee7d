import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Passwords and questions, against AsyncSSH's server.
@Suite struct PasswordLoginTests {
  @Test func byPassword() async throws {
    let server = try await PasswordSSHServer.start()
    let authenticator = TestAuthenticator(password: { $0 == 0 ? "wrong" : PasswordSSHServer.password })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    await test.expectOpen()
    #expect(authenticator.asked.value == ["password 0", "password 1"])
    // The wrong one.
    #expect(authenticator.forgotten.value == ["password"])
    await server.stop()
  }

  @Test func aWrongPasswordIsNotTriedForEver() async throws {
    let server = try await PasswordSSHServer.start()
    let authenticator = TestAuthenticator(password: { _ in "hunter2" })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    let failure = await test.failure()
    #expect(failure?.kind == .loginFailed)
    #expect(authenticator.asked.value == ["password 0", "password 1", "password 2"])
    #expect(authenticator.forgotten.value == ["password", "password", "password"])
    #expect(failure?.message.contains("refused a password") == true)
    #expect(failure?.message.contains("hunter2") == false, "secrets are in no error")
    await server.stop()
  }

  @Test func nobodyHasAPassword() async throws {
    let server = try await PasswordSSHServer.start()
    let authenticator = TestAuthenticator()
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    let failure = await test.failure()
    #expect(failure?.message.contains("there was nothing to try") == true)
    #expect(authenticator.asked.value == ["password 0"])
    #expect(authenticator.forgotten.value.isEmpty)
    await server.stop()
  }

  @Test func byAnswers() async throws {
    var options = PasswordSSHServer.Options()
    options.password = nil
    options.answers = ["blue", "grün"]
    let server = try await PasswordSSHServer.start(options: options)
    let authenticator = TestAuthenticator(answers: { prompts, attempt in
      if prompts.first?.text == "Question 1: " {
        #expect(prompts.first?.echoes == false)
        return [attempt == 0 ? "red" : "blue"]
      }
      return ["grün"]
    })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    await test.expectOpen()
    #expect(authenticator.asked.value == ["Question 1:  0", "Question 1:  1", "Question 2:  1"])
    await server.stop()
  }

  /// libssh2 1.10 cannot read some questions with a name (RFC 4256, section 3.2): the password is tried then.
  @Test func aQuestionWithANameIsNoReasonToGiveUp() async throws {
    var options = PasswordSSHServer.Options()
    options.answers = ["blue"]
    options.questionName = "Login"
    let server = try await PasswordSSHServer.start(options: options)
    let authenticator = TestAuthenticator(password: { _ in PasswordSSHServer.password })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    await test.expectOpen()
    #expect(authenticator.asked.value.last == "password 0")
    await server.stop()
  }

  @Test func nobodyHasAnswers() async throws {
    var options = PasswordSSHServer.Options()
    options.answers = ["blue"]
    let server = try await PasswordSSHServer.start(options: options)
    let authenticator = TestAuthenticator(password: { _ in PasswordSSHServer.password })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    await test.expectOpen()
    #expect(authenticator.asked.value == ["Question 1:  0", "password 0"])
    await server.stop()
  }

  /// Somebody who answers slowly costs none of the connection's time, and is told when it is in vain.
  @Test func theDeadlineStandsStillWhileSomebodyIsAsked() async throws {
    let server = try await PasswordSSHServer.start()
    let asked = AsyncEvent()
    let answered = AsyncEvent()
    let authenticator = TestAuthenticator(password: { _ in
      asked.signal()
      _ = await answered.wait()
      return PasswordSSHServer.password
    })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    #expect(await asked.wait())
    #expect(await test.deadlineStandsStill)
    answered.signal()
    await test.expectOpen()
    await server.stop()
  }

  /// A connection whose user has been asked for a password or for answers, and does not reply.
  private static func asking(
    _ byQuestions: Bool, cancelled: AsyncEvent? = nil
  ) async throws -> (PasswordSSHServer, TestConnection) {
    var options = PasswordSSHServer.Options()
    if byQuestions { (options.password, options.answers) = (nil, ["blue"]) }
    let server = try await PasswordSSHServer.start(options: options)
    let asked = AsyncEvent()
    let wait: @Sendable () async -> Void = {
      asked.signal()
      await withTaskCancellationHandler {
        _ = await AsyncEvent().wait()
      } onCancel: {
        cancelled?.signal()
      }
    }
    let authenticator = TestAuthenticator(
      password: { _ in
        await wait()
        return nil
      },
      answers: { _, _ in
        await wait()
        return nil
      })
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    #expect(await asked.wait())
    return (server, test)
  }

  @Test(arguments: [true, false]) func cancelsWhileSomebodyIsAsked(_ byQuestions: Bool) async throws {
    let cancelled = AsyncEvent()
    let (server, test) = try await Self.asking(byQuestions, cancelled: cancelled)
    await test.expectPromptEnd()
    #expect(await cancelled.wait(timeout: .seconds(5)))
    await server.stop()
  }

  @Test(arguments: [true, false]) func noticesAServerThatGoesWhileSomebodyIsAsked(_ byQuestions: Bool) async throws {
    let (server, test) = try await Self.asking(byQuestions)
    await server.stop()
    #expect(await test.failure()?.kind == .connectionLost)
  }

  @Test func withoutALogin() async throws {
    var options = PasswordSSHServer.Options()
    options.needsNoLogin = true
    let server = try await PasswordSSHServer.start(options: options)
    let authenticator = TestAuthenticator()
    let test = TestConnection(TestConnection.options(server, authenticator: authenticator))
    await test.expectOpen()
    #expect(authenticator.asked.value == [])
    await server.stop()
  }

  /// AsyncSSH does not know an RSA key by its signature's name: it wants the plain one. Among the algorithms that it names some are
  /// repeated, for which libssh2 1.11 has no room.
  @Test(arguments: [0, 2]) func byKey(_ index: Int) async throws {
    let key = try await SSHServer.clientKeys.all[index]
    var options = PasswordSSHServer.Options()
    options.password = nil
    options.authorizedKeys = [key.publicLine]
    let server = try await PasswordSSHServer.start(options: options)
    var connection = TestConnection.options(server)
    connection.identities.files = [key.file.path]
    let test = TestConnection(connection)
    await test.expectOpen()
    await server.stop()
  }
}
