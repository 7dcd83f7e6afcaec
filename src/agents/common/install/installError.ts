export type InstallErrorCode =
  | 'archiveUnsafe'
  | 'cancelled'
  | 'certificate'
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

/** Recognizes the error by its name, since each bundle has a class of its own. */
export function isInstallError(error: unknown): error is InstallError {
  return error instanceof Error && error.name === 'InstallError' && 'code' in error;
}

export function cancelledError(): InstallError {
  return new InstallError('cancelled', 'Canceled.');
}

/** What went wrong with our files, from a Node.js error code. Undefined if it is no error of the disk. */
export function diskError(code: string | undefined, cause?: unknown): InstallError | undefined {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new InstallError('diskFull', 'The disk is full.', 'Free some space, and install again.', { cause });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new InstallError(
      'permissionDenied',
      'Backline may not write to its own folder.',
      'Check who owns the folder of the extension’s storage, and whether an antivirus program holds it.',
      { cause },
    );
  return undefined;
}

/** What went wrong with a connection, from an error code of Node.js or npm. Undefined if it is no such code. */
export function connectionError(code: string | undefined, host: string, cause?: unknown): InstallError | undefined {
  const details = { cause };
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ENOTCACHED':
      return new InstallError('offline', `${host} could not be reached.`, 'Check your connection.', details);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ERR_STREAM_PREMATURE_CLOSE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new InstallError('connectionLost', `The connection to ${host} was lost.`, 'Try again.', details);
    case 'ERR_SOCKET_TIMEOUT':
    case 'EIDLETIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
      return stalledError(host);
    default:
      return undefined;
  }
}

export function stalledError(host: string): InstallError {
  return new InstallError('stalled', `${host} stopped sending.`, 'Try again later.');
}

/** What an answer of HTTP that is no success means. */
export function statusError(status: number, host: string): InstallError {
  if (status === 407)
    return new InstallError(
      'proxyNeedsSignIn',
      'The proxy wants you to sign in.',
      'Set the proxy with its user name in your npm configuration, or in VS Code’s setting http.proxy.',
    );
  if (status === 401 || status === 403)
    return new InstallError('notFound', `${host} does not allow the download (${status}).`, 'Sign in there first.');
  if (status === 404 || status === 410)
    return new InstallError('notFound', `${host} does not have it (${status}).`, 'Refresh the list of agents.');
  return new InstallError('serverError', `${host} answered with an error (${status}).`, 'Try again later.');
}
