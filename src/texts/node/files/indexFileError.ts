/** Explains why an index file cannot be used. The index is then created again. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
}
