extension URLError {
  /// What a later download needs to continue where this one failed; nil where it cannot be resumed.
  public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

  /// What a later upload needs to continue where this one failed; nil where it cannot be resumed.
  public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }
}
