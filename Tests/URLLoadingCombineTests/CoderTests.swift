import Foundation
import Testing
import URLLoadingCombine
import URLLoadingTestServers

/// Foundation's coders in Combine's operators.
@Suite(.timeLimit(.minutes(4))) struct CoderTests {
  private struct Point: Codable, Equatable {
    var x: Int
    var y: Int
  }

  @Test func jsonGoesThereAndBack() {
    let recorder = Recorder<Point, any Error>()
    Just(Point(x: 1, y: 2)).encode(encoder: JSONEncoder()).decode(type: Point.self, decoder: JSONDecoder())
      .subscribe(recorder)
    #expect(recorder.log.value.values == [Point(x: 1, y: 2)])
  }

  @Test func propertyListsGoThereAndBack() {
    let recorder = Recorder<Point, any Error>()
    Just(Point(x: 1, y: 2)).encode(encoder: PropertyListEncoder())
      .decode(type: Point.self, decoder: PropertyListDecoder()).subscribe(recorder)
    #expect(recorder.log.value.values == [Point(x: 1, y: 2)])
  }

  @Test func whatCannotBeDecodedIsAFailure() {
    let recorder = Recorder<Point, any Error>()
    Just(Data("{".utf8)).decode(type: Point.self, decoder: JSONDecoder()).subscribe(recorder)
    #expect(recorder.log.value.failure is DecodingError)
  }
}
