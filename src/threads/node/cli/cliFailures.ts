import { ThreadError } from '../../common/threadPorts';

const signInPattern =
  /not (?:logged|signed) in|log ?in (?:required|first)|please (?:log|sign) ?in|amp login|unauthori[sz]ed|unauthenticated|no api key|invalid api key|\b401\b/i;
/** Matches network errors of Node.js, Bun and the CLI itself. */
const networkPattern =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|ENETDOWN|EHOSTUNREACH)\b|fetch failed|failed to fetch|getaddrinfo|socket hang up|unable to connect|network (?:error|request failed|is unreachable)|internet connection|you are offline/i;
const unknownOptionPattern = /(?:unknown|unrecogni[sz]ed|invalid) (?:option|argument|flag|command)/i;
const maxMessageUnits = 300;

/** Converts the error output of a failed CLI command to an error whose message explains what to do. */
export function cliFailure(args: readonly string[], exitCode: number | null, output: string): ThreadError {
  const words = output.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').trim();
  if (signInPattern.test(words)) {
    return new ThreadError('notSignedIn', 'Amp is not signed in. Run `amp login` in a terminal, then refresh.');
  }
  if (networkPattern.test(words)) {
    return new ThreadError('offline', 'The Amp server cannot be reached. Check the connection, then refresh.', {
      cause: new Error(words.slice(0, maxMessageUnits)),
    });
  }
  const subcommand = args.slice(0, 2).join(' ');
  const lastLine = words.split('\n').findLast((text) => text.trim() !== '') ?? '';
  if (unknownOptionPattern.test(words)) {
    const option = args.find((argument) => argument.startsWith('--') && words.includes(argument));
    const command = option === undefined ? `amp ${subcommand}` : `amp ${subcommand} ${option}`;
    return new ThreadError('cli', `This Amp CLI is too old for \`${command}\`. Update it with \`amp update\`.`, {
      cause: new Error(words.slice(0, maxMessageUnits)),
    });
  }
  const outcome = exitCode === null ? 'was terminated by a signal' : `failed with exit code ${exitCode}`;
  const reason =
    lastLine === ''
      ? '.'
      : `: ${lastLine.trim().slice(0, maxMessageUnits)}${/[.!?]$/.test(lastLine.trim()) ? '' : '.'}`;
  const hint =
    lastLine === '' ? 'Run it in a terminal for details, then refresh.' : 'Try it in a terminal, then refresh.';
  return new ThreadError('cli', `\`amp ${subcommand}\` ${outcome}${reason} ${hint}`);
}

/** Whether the CLI failed because it does not support this option. */
export function isUnknownOption(error: unknown, option: string): boolean {
  if (!(error instanceof ThreadError) || !(error.cause instanceof Error)) return false;
  return unknownOptionPattern.test(error.cause.message) && error.cause.message.includes(option);
}
