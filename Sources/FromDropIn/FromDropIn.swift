// What the products of this package are with URL_LOADING_USE_DROP_IN: nothing but the modules of the folder whose toolset the build has.
#if !URL_LOADING_DROP_IN
#error(
  "URL_LOADING_USE_DROP_IN is set, and the build has no drop-in folder: add `--toolset FOLDER/url-loading.json`, or unset the variable."
)
#endif
