import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

const Request = z.looseObject({ id: z.number(), method: z.string(), params: z.unknown() });
const Prompt = z.looseObject({ prompt: z.tuple([z.looseObject({ text: z.string() })]) });

/** Nanoseconds of a clock that all processes of this machine share. */
export function sharedTime(): bigint {
  return process.hrtime.bigint();
}

export function updateLine(text: string): string {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } })}\n`;
}

/** Writes lines that say when they were written, one at a time. */
export async function writePaced(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await sleep(2);
    process.stdout.write(updateLine(`${sharedTime()} `));
  }
}

/** An ACP agent without any library, so that its own cost is none: a prompt of `paced 10`, `flood 10` or `flood 10 word` does that. */
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
  const [what, count, word = 'a few words of an answer'] = prompt.split(' ');
  if (what === 'paced') {
    await writePaced(Number(count));
    return;
  }
  const lines = updateLine(`${word} `).repeat(1_000);
  for (let written = 0; written < Number(count); written += 1_000) {
    if (!process.stdout.write(lines)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
