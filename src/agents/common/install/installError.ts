export type InstallErrorCode =
  | 'archiveUnsafe'
  | 'cancelled'
  | 'connectionLost'
  | 'diskFull'
  | 'doesNotStart'
  | 'insecureAddress'
  | 'installerFailed'
  | 'integrity'
  | 'nodeTooOld'
  | 'notFound'
  | 'notSupportedHere'
  | 'offline'
  | 'otherWindow'
  | 'permissionDenied'
  | 'proxyNeedsSignIn'
  | 'serverError'
  | 'stalled'
  | 'storage'
  | 'tooLarge'
  | 'uvMissing';

/** Why an agent could not be installed. `message` is one sentence for users; `advice` says what to do about it. */
export class InstallError extends Error {
  override readonly name = 'InstallError';

  constructor(
    readonly code: InstallErrorCode,
    message: string,
    readonly advice?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
