import type { CommandView, PromptFileRow } from '../chatView';

/**
 * Returns the prompt files that are not commands of the agent. Claude lists those that it reads itself, with or without the
 * folder in the name; the agent's own command wins, because the agent can do more with it.
 */
export function withoutAgentCommands(
  files: readonly PromptFileRow[],
  commands: readonly CommandView[],
): PromptFileRow[] {
  const isSame = (file: PromptFileRow, command: CommandView): boolean =>
    command.name === file.name ||
    (file.name.endsWith(`:${command.name}`) && command.description.includes(file.description));
  return files.filter((file) => !commands.some((command) => isSame(file, command)));
}

/** A text that begins with the name of a prompt file: the file, and the arguments after its name. */
export interface PromptFileCall {
  readonly file: PromptFileRow;
  readonly args: string;
}

export function promptFileInText(text: string, files: readonly PromptFileRow[]): PromptFileCall | undefined {
  const [, name, args = ''] = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text) ?? [];
  const file = files.find((one) => one.name === name);
  return file && { file, args: args.trim() };
}

/** Puts the text of a prompt file in the place of `before`. `now`: what has become of that meanwhile, which is kept. */
export function insertIntoText(inserted: string, before: string, now: string): string {
  if (now.startsWith(before)) return inserted + now.slice(before.length);
  return now.trim() === '' ? inserted : `${inserted}\n\n${now}`;
}
