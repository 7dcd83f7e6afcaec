import { formatProgram } from '../../../base/common/text/visibleText';

/** Formats a command line with its environment variables, for display. */
export function prependEnvironmentVariables(env: Readonly<Record<string, string>>, commandLine: string): string {
  const variables = Object.entries(env).map(([name, value]) => formatProgram([`${name}=${value}`]));
  return [...variables, commandLine].join(' ');
}
