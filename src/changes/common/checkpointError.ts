type CheckpointErrorCode =
  /** There is no Git that can be used. */
  | 'noGit'
  | 'tooLarge'
  | 'tooSlow'
  | 'cancelled'
  | 'diskFull'
  /** No checkpoint has this id any more. */
  | 'unknownCheckpoint'
  /** It was kept in the user's own repository and was removed there. */
  | 'contentMissing'
  /** A restore is under way, or was interrupted and waits to be finished or undone. */
  | 'restoreUnfinished'
  | 'failed';

/** Its message is for users and says what to do next. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';

  constructor(
    readonly code: CheckpointErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function tooSlow(limitMs: number): CheckpointError {
  return new CheckpointError(
    'tooSlow',
    `Scanning the folder took longer than ${limitMs / 1000} s. Add large generated folders to .gitignore.`,
  );
}

export function cancelled(): CheckpointError {
  return new CheckpointError('cancelled', 'It was cancelled.');
}

export function diskFull(cause: unknown): CheckpointError {
  return new CheckpointError('diskFull', 'The disk is full. Free some space and try again.', { cause });
}
