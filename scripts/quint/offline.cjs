// Loaded into the tool (`node --require`) while transcripts are tried: a machine without a network.
// What the tool says then is part of the pages, and nothing is downloaded by a check.
globalThis.fetch = async () => {
  throw new TypeError('fetch failed')
}
