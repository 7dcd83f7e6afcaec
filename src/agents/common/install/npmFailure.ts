import * as z from 'zod';
import { oneLine } from '../../../base/common/text/oneLine';
import { parseJson } from '../../../base/common/parseJson';
import { withoutKeys } from '../../../base/common/text/withoutKeys';
import { connectionError, diskError, InstallError, httpStatusError } from './installError';

const Failure = z.object({
  error: z.object({ code: z.string().optional().catch(undefined), summary: z.string().catch('') }),
});

const certificateCodes =
  /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID)/;

/** Converts the output of `npm --json`, and the end of its stderr, to an error. */
export function toNpmFailure(stdout: string, stderrTail: string, packageName: string): InstallError {
  const start = stdout.lastIndexOf('\n{') + 1;
  const failure = (Failure.safeParse(parseJson(stdout)).data ?? Failure.safeParse(parseJson(stdout.slice(start))).data)
    ?.error;
  const code = failure?.code ?? /npm (?:error|ERR!) code (\S+)/.exec(stderrTail)?.[1];
  const summary = `${failure?.summary ?? ''}\n${stderrTail}`;
  const host = hostIn(summary);
  const status = /^E(\d{3})$/.exec(code ?? '')?.[1];
  if (code === 'EPROXYAUTH' || /\b407\b|proxy authentication required/i.test(summary))
    return httpStatusError(407, host);
  if (status === '404' || code === 'ETARGET' || code === 'ENOVERSIONS')
    return new InstallError('notFound', `${host} does not have ${packageName}.`, 'Refresh the list of agents.');
  if (status !== undefined) return httpStatusError(Number(status), host);
  if (code === 'ENEEDAUTH' || code === 'EOTP') return httpStatusError(401, host);
  if (
    code === 'EINTEGRITY' ||
    code === 'EBADCHECKSUM' ||
    code === 'TAR_BAD_ARCHIVE' ||
    code === 'Z_BUF_ERROR' ||
    code === 'Z_DATA_ERROR'
  ) {
    const message = `The package ${packageName} from ${host} differs from the published one.`;
    return new InstallError(
      'integrity',
      message,
      'Try again. If the problem persists, contact the administrator of that registry.',
    );
  }
  if (code === 'EBADENGINE')
    return new InstallError(
      'nodeTooOld',
      `${packageName} needs another version of Node.js.`,
      'Install a current Node.js.',
    );
  if (code === 'EBADPLATFORM')
    return new InstallError('notSupportedHere', `${packageName} does not run on this system.`);
  if (code !== undefined && certificateCodes.test(code))
    return new InstallError(
      'certificate',
      `Nothing was downloaded from ${host}: its certificate is not trusted (${code}).`,
      'Set cafile in your npm configuration.',
    );
  const known = diskError(code) ?? connectionError(code, host);
  if (known) return known;
  const words = withoutKeys(oneLine(failure?.summary ?? stderrTail.slice(-500))).slice(0, 500);
  return new InstallError(
    'installerFailed',
    `npm could not install ${packageName}${words === '' ? '.' : `: ${words}`}`,
  );
}

function hostIn(text: string): string {
  const address = /https?:\/\/[^\s'"]+/.exec(text)?.[0];
  return (address === undefined ? undefined : URL.parse(address)?.host) ?? 'the npm registry';
}
