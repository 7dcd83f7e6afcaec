import { messageOf } from '../../../base/common/errors';
import { splitCommand } from '../../common/catalogue/splitCommand';
import type { Turn } from '../answer/turn';

/** Runs one program in the client's terminal, without a shell. */
export async function runCommand(turn: Turn, line: string): Promise<void> {
  let argv: string[];
  try {
    argv = splitCommand(line.replace(/^`+|`+$/g, ''));
  } catch (error) {
    await turn.say(`${messageOf(error)} Close it and send the command again.\n`);
    return;
  }
  const [command, ...args] = argv;
  if (command === undefined) {
    await turn.say('Which command? For example, `/run git status`.\n');
    return;
  }
  const outcome = await turn.runCommand([command, ...args]);
  switch (outcome.kind) {
    case 'exited':
      await turn.say(exitSentence(command, outcome.exitCode, outcome.signal));
      return;
    case 'failed':
      await turn.say(`I could not run \`${command}\`: ${outcome.reason}\n`);
      return;
    case 'unsupported':
      await turn.say('This editor doesn’t provide a terminal, so I can’t run commands.\n');
  }
}

function exitSentence(command: string, exitCode: number | undefined, signal: string | undefined): string {
  if (signal !== undefined) return `\`${command}\` was ended by ${signal}.\n`;
  if (exitCode === undefined) return `\`${command}\` ended without an exit code.\n`;
  return exitCode === 0
    ? `\`${command}\` ended with exit code 0.\n`
    : `\`${command}\` failed with exit code ${exitCode}.\n`;
}
