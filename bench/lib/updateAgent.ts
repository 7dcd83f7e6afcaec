import { createInterface } from 'node:readline';
import * as z from 'zod';

const Request = z.looseObject({ id: z.number(), method: z.string(), params: z.unknown() });
const Prompt = z.looseObject({ prompt: z.tuple([z.looseObject({ text: z.string() })]) });

export function updateLine(text: string): string {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } })}\n`;
}

/** An ACP agent without any library, so that its own cost is none: a prompt of `flood 10` or `flood 10 word` does that. */
export function runUpdateAgent(): void {
  const answer = (id: number, result: object): void => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = Request.parse(JSON.parse(line));
    if (method === 'initialize') answer(id, { protocolVersion: 1 });
    else if (method === 'session/new') answer(id, { sessionId: 's1' });
    else void turn(Prompt.parse(params).prompt[0].text).then(() => answer(id, { stopReason: 'end_turn' }));
  });
}

async function turn(prompt: string): Promise<void> {
  const [, count, word = 'a few words of an answer'] = prompt.split(' ');
  const lines = updateLine(`${word} `).repeat(1_000);
  for (let written = 0; written < Number(count); written += 1_000) {
    if (!process.stdout.write(lines)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
