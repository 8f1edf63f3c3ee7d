// The drop-in folder has the same modules as this package. In one build they would be two libraries with types of one name, of which
// each target gets one or the other by the order of the build.
#if URL_LOADING_DROP_IN
#error(
  "The build has the toolset of a drop-in folder, and a package that names products of swift-url-loading from source. Take one: leave the toolset away, or set URL_LOADING_USE_DROP_IN=1, with which these products are the folder's modules."
)
#endif
