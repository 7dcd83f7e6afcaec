import { basename } from 'node:path';
import { resolvePromptPath } from '../answer/prompt';
import type { Turn } from '../answer/turn';

/**
 * Skills that the agent performs without the editor, as many agents do. The editor approves them and shows their
 * results.
 */

export async function runShell(turn: Turn, command: string): Promise<void> {
  const outcome = await turn.runShell(command);
  switch (outcome.kind) {
    case 'exited': {
      const { exitCode, signal } = outcome;
      const end =
        signal === undefined ? `ended with exit code ${exitCode ?? 'unknown'}` : `was ended by the signal ${signal}`;
      await turn.say(
        `The command ${end}. I ran it without the editor. Review its changes, or restore the state before your prompt.\n`,
      );
      return;
    }
    case 'rejected':
      await turn.say('You denied the command, so I did not run it.\n');
      return;
    case 'timedOut':
      await turn.say(`The command did not end within ${outcome.timeoutMs / 1000} seconds, so I ended it.\n`);
      return;
    case 'failed':
      await turn.say(`I could not run the command: ${outcome.reason}\n`);
      return;
    case 'unsupported':
      await turn.say('I can’t ask for your permission in this protocol, so I don’t run commands.\n');
  }
}

export async function writeFileOnDisk(turn: Turn, text: string, path: string): Promise<void> {
  const file = resolvePromptPath(path, turn.cwd);
  const name = basename(file);
  const outcome = await turn.writeOnDisk(file, text.endsWith('\n') ? text : `${text}\n`);
  switch (outcome.kind) {
    case 'written':
      await turn.say(`I wrote ${name} on disk without the editor. Unsaved text in the editor was not changed.\n`);
      return;
    case 'unchanged':
      await turn.say(`${name} already has this text.\n`);
      return;
    case 'rejected':
      await turn.say(`You denied the change, so ${name} was not changed.\n`);
      return;
    case 'failed':
      await turn.say(`I could not write ${name}: ${outcome.reason}\n`);
      return;
    case 'unsupported':
      await turn.say('I can’t ask for your permission in this protocol, so I don’t write files.\n');
  }
}
