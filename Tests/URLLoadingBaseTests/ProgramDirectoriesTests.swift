import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@Suite struct ProgramDirectoriesTests {
  @Test(arguments: [ProgramDirectories.Kind.cache, .data, .state])
  func testsHaveDirectoriesOfTheirOwn(kind: ProgramDirectories.Kind) {
    #expect(ProgramDirectories.current.own(kind)?.hasPrefix(TestEnvironment.directory + "/") == true)
  }
}
