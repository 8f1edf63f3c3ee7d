import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let names = ["small.txt", "large.bin", "data.json"]

let overall = Progress(totalUnitCount: Int64(names.count))
let group = DispatchGroup()
var tasks: [URLSessionDownloadTask] = []

for name in names {
    group.enter()
    let task = URLSession.shared.downloadTask(with: baseURL.appendingPathComponent(name)) { _, _, error in
        if let error = error { print(error) }
        group.leave()
    }
    overall.addChild(task.progress, withPendingUnitCount: 1)
    tasks.append(task)
}
print(overall.fractionCompleted, overall.completedUnitCount, overall.isFinished)
tasks.forEach { $0.resume() }
group.wait()
print(overall.fractionCompleted, overall.completedUnitCount, overall.isFinished)
for task in tasks {
    print(task.progress.totalUnitCount, task.progress.completedUnitCount == task.progress.totalUnitCount)
}

// Cancelling the parent cancels the task.
let parent = Progress(totalUnitCount: 1)
group.enter()
let slow = URLSession.shared.dataTask(with: baseURL.appendingPathComponent("slow/large.bin")) { _, _, error in
    print((error as? URLError)?.code == .cancelled)
    group.leave()
}
parent.addChild(slow.progress, withPendingUnitCount: 1)
slow.resume()
parent.cancel()
group.wait()
print(slow.progress.isCancelled, slow.state == .completed)
