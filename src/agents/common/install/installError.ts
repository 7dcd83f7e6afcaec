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
  | 'termsChanged'
  | 'tooLarge'
  | 'uvMissing';

/**
 * Why an agent could not be installed. `message` is one sentence for users; `advice` is what the user can do about it.
 */
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

/** Recognizes the error by its name, because each bundle has its own copy of the class. */
export function isInstallError(error: unknown): error is InstallError {
  return error instanceof Error && error.name === 'InstallError' && 'code' in error;
}

export function cancelledError(): InstallError {
  return new InstallError('cancelled', 'Canceled.');
}

/** Converts the code of a file system error of Node.js. Undefined for other errors. */
export function diskError(code: string | undefined, cause?: unknown): InstallError | undefined {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new InstallError('diskFull', 'The disk is full.', 'Free some space, and install again.', { cause });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new InstallError(
      'permissionDenied',
      'Backline can’t write to its own folder.',
      'Check who owns the extension’s storage folder, and whether an antivirus program locks it.',
      { cause },
    );
  return undefined;
}

/** Converts a connection error code of Node.js or npm. Undefined for other codes. */
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

/** Converts an unsuccessful HTTP status. */
export function httpStatusError(status: number, host: string): InstallError {
  if (status === 407)
    return new InstallError(
      'proxyNeedsSignIn',
      'The proxy requires you to sign in.',
      'Set the proxy with its user name in your npm configuration, or in the VS Code setting http.proxy.',
    );
  if (status === 401 || status === 403)
    return new InstallError('notFound', `${host} does not allow the download (${status}).`, 'Sign in there first.');
  if (status === 404 || status === 410)
    return new InstallError(
      'notFound',
      `The file was not found on ${host} (${status}).`,
      'Refresh the list of agents.',
    );
  return new InstallError('serverError', `${host} answered with an error (${status}).`, 'Try again later.');
}
