import { ThreadError } from '../../common/threadPorts';

/** What it means that the amp CLI failed, and what to do. */

const signIn =
  /not (?:logged|signed) in|log ?in (?:required|first)|please (?:log|sign) ?in|amp login|unauthori[sz]ed|unauthenticated|no api key|invalid api key|\b401\b/i;
/** In the words of Node.js, of Bun and of the CLI. */
const noNetwork =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|ENETDOWN|EHOSTUNREACH)\b|fetch failed|failed to fetch|getaddrinfo|socket hang up|unable to connect|network (?:error|request failed|is unreachable)|internet connection|you are offline/i;
const unknownOption = /(?:unknown|unrecogni[sz]ed|invalid) (?:option|argument|flag|command)/i;
const maxSaid = 300;

export function cliFailure(args: readonly string[], exitCode: number | null, said: string): ThreadError {
  const words = said.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').trim();
  if (signIn.test(words)) {
    return new ThreadError('notSignedIn', 'Amp is not signed in. Run `amp login` in a terminal, then refresh.');
  }
  if (noNetwork.test(words)) {
    return new ThreadError('offline', 'The Amp server cannot be reached. Check the connection, then refresh.', {
      cause: new Error(words.slice(0, maxSaid)),
    });
  }
  const asked = args.slice(0, 2).join(' ');
  const line = words.split('\n').findLast((text) => text.trim() !== '') ?? '';
  if (unknownOption.test(words)) {
    const option = args.find((argument) => argument.startsWith('--') && words.includes(argument));
    const what = option === undefined ? `amp ${asked}` : `amp ${asked} ${option}`;
    return new ThreadError('cli', `This amp CLI is too old for \`${what}\`. Update it: \`amp update\`.`, {
      cause: new Error(words.slice(0, maxSaid)),
    });
  }
  const how = exitCode === null ? 'was ended by a signal' : `failed with exit code ${exitCode}`;
  const why = line === '' ? '.' : `: ${line.trim().slice(0, maxSaid)}${/[.!?]$/.test(line.trim()) ? '' : '.'}`;
  const next = line === '' ? 'Run it in a terminal to see why, then refresh.' : 'Try it in a terminal, then refresh.';
  return new ThreadError('cli', `\`amp ${asked}\` ${how}${why} ${next}`);
}

/** Whether a failure says that the CLI does not know that very option. */
export function isUnknownOption(error: unknown, option: string): boolean {
  if (!(error instanceof ThreadError) || !(error.cause instanceof Error)) return false;
  return unknownOption.test(error.cause.message) && error.cause.message.includes(option);
}
