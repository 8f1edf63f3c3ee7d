/// What the transfer service asks of its sessions, and no program.
extension URLSession {
  /// A download that continues where an earlier process stopped, with the request's own fields, which resume data lacks.
  /// - Parameters:
  ///   - resumeData: nil, or unusable, for one from the beginning.
  ///   - label: a part of the names of the files that it makes.
  package func downloadTask(
    with request: URLRequest, continuing resumeData: Data?, label: String
  ) -> URLSessionDownloadTask {
    var plan = LoadPlan(request: request, kind: .download, owner: .delegate, upload: UploadSource(of: request))
    plan.fileLabel = label
    if let resumeData, var resumption = try? ResumeData(serialized: resumeData), let url = request.url {
      resumption.originalURL = url
      (resumption.missingFields, resumption.missesUser) = ([], false)
      plan.resumption = resumption
    }
    return made(URLSessionDownloadTask(load: load(plan)))
  }

  /// An upload that continues where an earlier process stopped.
  /// - Parameter resumeData: nil, or unusable, for one from the beginning.
  package func uploadTask(
    with request: URLRequest, fromFile file: URL, continuing resumeData: Data?
  ) -> URLSessionUploadTask {
    var plan = LoadPlan(request: request, kind: .upload, owner: .delegate, upload: .file(file))
    if let resumeData, var resumption = try? UploadResumeData(serialized: resumeData), let url = request.url {
      resumption.originalURL = url
      (resumption.missingFields, resumption.missesUser) = ([], false)
      resumption.headers = (request.allHTTPHeaderFields ?? [:]).map { ResumeData.Field(name: $0.key, value: $0.value) }
      resumption.body = UploadBody(.file(file))
      plan.uploadResumption = resumption
      plan.request = resumption.request
      plan.request.omittedFields = request.omittedFields
    }
    return made(URLSessionUploadTask(load: load(plan)))
  }
}

extension URLSessionTask {
  /// Where the errors of such a task have its resume data.
  package var resumeDataKey: String {
    self is URLSessionUploadTask ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData
  }

  /// What a later process needs to resume a task, which keeps running; nil where it cannot be resumed yet, or at all. Without the request's
  /// fields.
  package var currentResumeData: Data? { load.currentResumeData }

  /// The file that the resume data of a download names; nil for what is no such.
  package static func downloadFile(namedBy resumeData: Data) -> URL? {
    (try? ResumeData(serialized: resumeData)).map { URL(fileURLWithPath: $0.localPath) }
  }

  /// The label in the name of a file that a download has made; nil where it has none.
  package static func downloadLabel(in name: String) -> String? { FileSink.label(in: name) }

  /// The file that a download writes; nil before there is one.
  package var currentDownloadFile: URL? { load.read { $0.file }?.place?.url }
}

extension URLProtocol {
  /// Why a background task's URL is not loaded by the transfer service; nil where it is.
  package static func immediateErrorInService(of request: URLRequest) -> URLError? {
    ProtocolRegistry.shared.immediateErrorInService(of: request)
  }
}

extension Load {
  var currentResumeData: Data? {
    if plan.kind == .upload {
      let uploading = read { $0.uploads.resumable }
      guard var data = uploading.flatMap({ UploadResumeData($0, original: plan.request, earlier: nil) }) else {
        return nil
      }
      data.headers = []
      return try? data.serialized()
    }
    let (response, file) = read { ($0.response, $0.file) }
    guard let (url, length) = file?.place else { return nil }
    return makeResumeData(of: response, path: url.path, length: length, withoutFields: true)
  }
}

extension ProtocolRegistry {
  fileprivate func immediateErrorInService(of request: URLRequest) -> URLError? {
    guard let chosen = protocolClass(for: request) else { return unsupported(request.url, configured: []) }
    guard chosen.capabilities.contains(.background) else {
      return URLError(
        .unsupportedURL,
        message:
          "The protocol class for the scheme \"\(request.url?.scheme ?? "")\" of \(request.url?.redactedDescription ?? "the request") does not load in the background; available are \(backgroundSchemes).",
        url: request.url)
    }
    return nil
  }
}
