/**
 * `damaged`: the stored comments could not be read and are kept aside. `full`: there are as many as can be stored. `storage`: the
 * disk refuses them. `notFound`: the thread no longer exists.
 */
type CommentErrorCode = 'damaged' | 'full' | 'storage' | 'notFound';

/** An error of comments. The message is for users and says what to do. */
export class CommentError extends Error {
  override readonly name = 'CommentError';

  constructor(
    readonly code: CommentErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
