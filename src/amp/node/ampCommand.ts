import type { FoundAmp } from './findAmp';

/** A program that can be started without a shell. The caller's arguments come after `args`. */
export interface StartableProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns how to start the Amp CLI without a shell. On Windows, npm installs a batch file, which Node.js cannot start
 * directly. @throws Error
 */
export async function ampCommand(
  amp: FoundAmp | undefined,
  startable: (file: string) => Promise<StartableProgram>,
): Promise<StartableProgram | undefined> {
  return amp && (await startable(amp.file));
}
