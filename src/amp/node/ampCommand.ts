import type { FoundAmp } from './findAmp';

/** What to start, without a shell: these arguments come before the caller's own. */
export interface StartableProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How the Amp CLI is started without a shell. What a shell finds by its name need not be a program: npm makes a batch file
 * on Windows, which Node.js refuses to start.
 * @param startable looks through such files; @throws Error that says what is missing
 */
export async function ampCommand(
  amp: FoundAmp | undefined,
  startable: (file: string) => Promise<StartableProgram>,
): Promise<StartableProgram | undefined> {
  return amp && (await startable(amp.file));
}
