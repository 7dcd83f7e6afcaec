import type { Turn } from '../answer/turn';

/** Finds the uses of a symbol through the editor's language servers. */
export async function findUses(turn: Turn, symbol: string, path: string | undefined): Promise<void> {
  const place = path === undefined ? { symbol } : { symbol, path };
  const title = `Find references of ${symbol}`;
  const answer = await turn.callEditorTool({ title, tool: 'references', kind: 'search', input: place });
  switch (answer.kind) {
    case 'answered': {
      const [first = ''] = answer.text.split('\n', 1);
      await turn.say(
        `${first}${first.endsWith('.') ? '' : '.'}\n\n` +
          'I asked the language server of your editor. It follows renamed imports and re-exports, and ignores strings, comments and other symbols with the same name.\n',
      );
      return;
    }
    case 'failed':
      await turn.say(`The editor could not find the uses of \`${symbol}\`: ${answer.reason}\n`);
      return;
    case 'unsupported':
      await turn.say('This editor doesn’t provide any tools, so I can’t find its uses.\n');
  }
}
