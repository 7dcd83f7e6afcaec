import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { inRoot } from './paths.mjs';

const hourMs = 3_600_000;

const Thread = z.looseObject({
  id: z.string(),
  created: z.number(),
  env: z.unknown(),
  messages: z.array(z.looseObject({ meta: z.looseObject({ sentAt: z.number() }).optional() })),
});

/** @type {readonly { title: string, prompt: string, hoursAgo: number, end?: object, more?: object }[]} */
const others = [
  {
    title: 'Invoices in the dark theme',
    prompt: 'The invoice is unreadable in the dark theme.',
    hoursAgo: 3,
    end: { type: 'cancelled' },
  },
  {
    title: 'Forked: Invoices in the dark theme',
    prompt: 'Keep the paper white instead.',
    hoursAgo: 2,
    more: { originThreadID: threadId(10) },
  },
  {
    title: 'Why is the search slow?',
    prompt: 'Typing in the search takes seconds.',
    hoursAgo: 0,
    end: { type: 'streaming' },
  },
  { title: 'Rename the currency type', prompt: 'Money should be called Amount.', hoursAgo: 26 },
  { title: 'Tests for empty carts', prompt: 'What happens when the cart is empty?', hoursAgo: 29 },
  {
    title: 'Postage by weight',
    prompt: 'Add postage by weight.',
    hoursAgo: 75,
    end: { type: 'error', error: { message: '529 overloaded' } },
  },
];

/**
 * A store of threads as a user of Amp may have one, for pictures: a long one of today, and others around it.
 * @param {{ home: string, workspace: string }} sandbox
 */
export async function writeSampleThreads({ home, workspace }) {
  const store = path.join(home, '.local', 'share', 'amp', 'threads');
  await mkdir(store, { recursive: true });
  const nowMs = Date.now();
  const fixture = await readFile(inRoot('test', 'fixtures', 'threads', '01-normal.thread.json'), 'utf8');
  const text = fixture
    .replaceAll('/home/kim/shop/', `${workspace}/`)
    .replaceAll('file:///home/kim/shop', `file://${workspace}`);
  const long = Thread.parse(JSON.parse(text));
  const shiftMs = nowMs - hourMs - long.created;
  long.created += shiftMs;
  for (const { meta } of long.messages) if (meta) meta.sentAt += shiftMs;
  await write(store, long);
  const done = { type: 'complete', stopReason: 'end_turn' };
  for (const [index, { title, prompt, hoursAgo, end: state = done, more }] of others.entries()) {
    const created = nowMs - hoursAgo * hourMs;
    const messages = [
      { role: 'user', messageId: 0, content: [{ type: 'text', text: prompt }], meta: { sentAt: created } },
      { role: 'assistant', messageId: 1, content: [{ type: 'text', text: 'I look at it.' }], state },
    ];
    await write(store, { v: 2, id: threadId(10 + index), created, messages, title, env: long.env, ...more });
  }
}

/** @param {number} n */
function threadId(n) {
  return `T-019be0a1-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/**
 * As Amp does: a rename makes it whole at once.
 * @param {string} store
 * @param {{ id: string, [field: string]: unknown }} document
 */
async function write(store, document) {
  const file = path.join(store, `${document.id}.json`);
  await writeFile(`${file}.amptmp`, JSON.stringify(document));
  await rename(`${file}.amptmp`, file);
}
