import type { FoundAmp } from './findAmp';

/** A program that can be started without a shell. The caller's arguments follow `args`. */
export interface StartableProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How to start the Amp CLI without a shell. What a shell finds need not be a program: on Windows, npm creates a batch
 * file, which Node.js refuses to start.
 * @param startable finds the program behind such a file @throws Error that says what is missing
 */
export async function ampCommand(
  amp: FoundAmp | undefined,
  startable: (file: string) => Promise<StartableProgram>,
): Promise<StartableProgram | undefined> {
  return amp && (await startable(amp.file));
}
