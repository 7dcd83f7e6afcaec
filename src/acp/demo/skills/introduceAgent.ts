import { demoCommands } from '../answer/intent';
import type { Turn } from '../answer/turn';

const commandList = demoCommands
  .filter(({ name }) => name !== 'help')
  .map(({ name, description, hint }) => `- \`/${name}${hint === undefined ? '' : ` <${hint}>`}\`: ${description}`)
  .join('\n');

/** Introduces the agent, in Markdown with a list, code and a link. */
export async function introduceAgent(turn: Turn): Promise<void> {
  await turn.say(
    `# Demo agent (no model)\n\n` +
      `I am a **program with a few fixed rules**, not an AI: nothing you write leaves this machine. ` +
      `Use me to try everything before you install a real agent.\n\n` +
      `${commandList}\n\n` +
      `Plain words work as well:\n\n` +
      '```text\nrename colour to color in src/paint.ts\nrename total to sum in src/sum.ts everywhere\nsort imports in src/main.ts\nwho uses total in src/sum.ts\nread src/sum.ts\nrun git status\nsummarize README.md\n```\n\n' +
      `Real agents use the same [Agent Client Protocol](https://agentclientprotocol.com).\n`,
  );
}

export async function explainUnknownPrompt(turn: Turn): Promise<void> {
  await turn.say(
    `I have no model, so I only understand a few fixed phrases, and this isn’t one of them. ` +
      `Type \`/help\` for the list, or name a file, and I will summarize it.\n`,
  );
}
