import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { errorCode } from '../../../base/common/errors';
import { diskError, InstallError, isInstallError } from '../../common/install/installError';
import { openDownload, type DownloadOptions } from './openDownload';

interface FileDownload extends DownloadOptions {
  readonly address: string;
  /** Must not exist yet. */
  readonly file: string;
  readonly hash?: { readonly algorithm: 'sha256' | 'sha512'; readonly hex: string };
  /** Between 0 and 1. Undefined if the server does not report the length. */
  readonly onFraction: (fraction: number | undefined) => void;
}

/** Downloads into a new file and checks its hash. The caller removes the file, also after a failure. @throws InstallError */
export async function downloadFile({ address, file, hash, onFraction, ...options }: FileDownload): Promise<void> {
  const download = await openDownload(address, options);
  const digest = hash && createHash(hash.algorithm);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      let bytes = 0;
      for await (const chunk of download.chunks()) {
        digest?.update(chunk);
        for (let written = 0; written < chunk.length;) written += (await handle.write(chunk, written)).bytesWritten;
        bytes += chunk.length;
        onFraction(download.totalBytes === undefined ? undefined : Math.min(1, bytes / download.totalBytes));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isInstallError(error)) throw error;
    throw diskError(errorCode(error), error) ?? error;
  } finally {
    download.dispose();
  }
  if (digest && digest.digest('hex') !== hash.hex) {
    const message = 'The hash of the downloaded file differs from the expected one.';
    throw new InstallError(
      'integrity',
      message,
      'Try again. If the problem persists, report it to the agent’s authors.',
    );
  }
}
