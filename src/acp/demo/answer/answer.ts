import { intentOf } from './intent';
import { rename, sortFileImports } from '../skills/edit';
import { fail } from '../skills/fail';
import { admit, greet } from '../skills/greet';
import { quote } from '../skills/quote';
import { run } from '../skills/run';
import { showPlan, speakSlowly } from '../skills/show';
import { summarize } from '../skills/summarize';
import type { Turn } from './turn';

/** Answers a prompt: quotes the attached texts, then follows the intent. @throws TurnCancelled, RpcError */
export async function answer(turn: Turn): Promise<void> {
  const intent = intentOf(turn.prompt);
  if (turn.isVerbose) await turn.think(`My rules read this as: ${intent.kind}.`);
  await quote(turn);
  switch (intent.kind) {
    case 'quote':
      return;
    case 'help':
      return greet(turn);
    case 'summarize':
      return summarize(turn, intent.paths);
    case 'rename':
      return rename(turn, intent.from, intent.to, intent.path);
    case 'sort':
      return sortFileImports(turn, intent.path);
    case 'run':
      return run(turn, intent.line);
    case 'slow':
      return speakSlowly(turn, intent.words, turn.prompt.saidWords);
    case 'plan':
      return showPlan(turn);
    case 'fail':
      return fail(turn, intent.how);
    case 'unknown':
      return admit(turn);
  }
}
