import { errorCode } from '../../base/common/errors';

type CheckpointErrorCode =
  /** Git is missing or unusable. */
  | 'noGit'
  | 'tooLarge'
  | 'tooSlow'
  | 'cancelled'
  | 'diskFull'
  /** The checkpoint no longer exists. */
  | 'unknownCheckpoint'
  /** The content was only in the user's repository and has been deleted there. */
  | 'contentMissing'
  /** The file has changed since the restore was planned. */
  | 'changedMeanwhile'
  /** A restore is running, or was interrupted and must be finished or undone. */
  | 'restoreUnfinished'
  | 'failed';

/** An error of checkpoints. The message is for users and explains what to do next. */
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

/** Also recognizes errors from other bundles, where `instanceof` fails. */
export function isCheckpointError(error: unknown): error is CheckpointError {
  return error instanceof Error && error.name === 'CheckpointError';
}

export function tooSlowError(limitMs: number): CheckpointError {
  return new CheckpointError(
    'tooSlow',
    `Scanning the folder took longer than ${limitMs / 1000} s. Add large generated folders to .gitignore.`,
  );
}

export function cancelledError(): CheckpointError {
  return new CheckpointError('cancelled', 'Canceled.');
}

/**
 * Whether a system error means that the disk is full, or that the user's quota or the maximum file size is exceeded.
 */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error) ?? '');
}

export function diskFullError(cause: unknown): CheckpointError {
  return new CheckpointError('diskFull', 'The disk is full. Free some space and try again.', { cause });
}
