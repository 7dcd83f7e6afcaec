import { formatProgram } from '../../../base/common/visibleText';

/** A command line with the variables that are set for it, for people to read. */
export function withVariables(env: Readonly<Record<string, string>>, commandLine: string): string {
  const variables = Object.entries(env).map(([name, value]) => formatProgram([`${name}=${value}`]));
  return [...variables, commandLine].join(' ');
}
