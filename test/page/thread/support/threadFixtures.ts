// What a host tells the page of a thread.
import type * as z from 'zod/mini';
import type { ThreadUpdate, ThreadHeaderView } from '../../../../src/threads/common/page/threadApi';
import { threadOutline } from '../../../../src/threads/common/page/threadOutline';
import type { Entry } from '../../../../src/transcript/common/entries';

export type Update = z.input<typeof ThreadUpdate>;

const startedAt = Date.UTC(2026, 10, 20, 9);

export const view: ThreadHeaderView = {
  id: 'T-019be0a1-0000-7000-8000-000000000001',
  title: 'Tax in the cart',
  state: 'idle',
  isArchived: false,
  mode: 'smart',
  usage: { input: 2_000, output: 900, cacheRead: 45_000 },
  promptCount: 2,
  messageCount: 8,
  facts: [
    { label: 'Repository', value: 'https://example.com/kim/shop' },
    { label: 'Branch', value: 'main' },
    { label: 'Commit', value: '0123456789abcdef0123456789abcdef01234567' },
    { label: 'Created', value: new Date(startedAt).toISOString() },
  ],
  notes: [],
  actions: ['continueInAmp', 'continueInChat', 'exportMarkdown', 'exportHtml', 'exportJson', 'copyLink', 'copyId'],
};

/** Turns of some height. */
export function turns(from: number, to: number): Entry[] {
  return Array.from({ length: to - from }, (_, index): Entry[] => {
    const turn = from + index;
    const at = startedAt + turn * 60_000;
    return [
      { kind: 'prompt', id: `p${turn}`, turn, at, text: `Question ${turn}` },
      { kind: 'thinking', id: `t${turn}`, turn, text: `I think about ${turn}.` },
      { kind: 'answer', id: `a${turn}`, turn, text: `Answer ${turn}\n\n${'A line of it.\n\n'.repeat(4)}` },
    ];
  }).flat();
}

export const entries: readonly Entry[] = [
  {
    kind: 'prompt',
    id: 'm0',
    turn: 1,
    at: startedAt,
    text: 'The total of the cart has no tax. Please fix it.',
    attachments: [{ kind: 'selection', title: 'cart.ts:4', path: '/home/kim/shop/src/cart.ts', line: 4 }],
  },
  { kind: 'thinking', id: 'm1.0', turn: 1, text: 'The sum is there, the tax is not.' },
  {
    kind: 'tool',
    id: 'm1.1',
    turn: 1,
    name: 'edit_file',
    title: 'Edit cart.ts',
    toolKind: 'edit',
    state: 'done',
    input: '{}',
    parts: [
      {
        type: 'diff',
        path: '/home/kim/shop/src/cart.ts',
        change: 'modified',
        added: 1,
        removed: 1,
        hunks: [
          {
            oldStart: 4,
            newStart: 4,
            lines: [
              { kind: 'remove', text: 'const total = sum;' },
              { kind: 'add', text: 'const total = sum * (1 + tax);' },
            ],
          },
        ],
      },
    ],
  },
  {
    kind: 'tool',
    id: 'm1.2',
    turn: 1,
    name: 'Task',
    title: 'Check the callers',
    toolKind: 'agent',
    state: 'done',
    parts: [],
  },
  { kind: 'answer', id: 'm1.3', parent: 'm1.2', turn: 1, text: 'There is one caller.' },
  { kind: 'answer', id: 'm2.0', turn: 1, text: 'The total **includes the tax** now, in `src/cart.ts`.' },
  { kind: 'prompt', id: 'm3', turn: 2, at: startedAt + 120_000, text: 'And run the tests' },
  {
    kind: 'tool',
    id: 'm4.0',
    turn: 2,
    name: 'Bash',
    title: 'npm test',
    toolKind: 'execute',
    state: 'cancelled',
    parts: [{ type: 'terminal', command: 'npm test', output: '\u001b[32mok\u001b[0m 1\n' }],
  },
  { kind: 'end', id: 'm4.end', turn: 2, outcome: 'cancelled', text: 'You stopped it.' },
];

/** All there is; `before` entries more come before the first one. */
export function snapshot(part: Partial<Update> = {}, shown: readonly Entry[] = entries, before = 0): Update {
  const outline = threadOutline(shown);
  return { thread: view, outline, problem: null, transcript: { reset: true, put: [...shown], before }, ...part };
}

/** Reverses what follows it, and pushes the rest away. */
export const reversed = `\u202egnp.exe${'\u2003'.repeat(12)}x`;

/** What is to be seen at a glance, and what would hide itself. */
export const marksEntries: readonly Entry[] = [
  { kind: 'prompt', id: 'p', turn: 1, text: `Test it ${reversed}` },
  command('c1', 'make test', 3),
  command('c2', 'make build', 0),
  {
    kind: 'tool',
    id: 'c3',
    turn: 1,
    name: 'web_search',
    title: 'Search the web for docs',
    toolKind: 'fetch',
    state: 'done',
    parts: [
      { type: 'link', uri: 'https://evil.example/docs', title: 'https://good.example/docs' },
      { type: 'link', uri: 'https://docs.example/page', title: `Docs ${reversed}` },
    ],
  },
  { kind: 'answer', id: 'a', turn: 1, text: 'One test fails.' },
];

function command(id: string, cmd: string, exitCode: number): Entry {
  return {
    kind: 'tool',
    id,
    turn: 1,
    name: 'Bash',
    title: `Run ${cmd}`,
    toolKind: 'execute',
    state: 'done',
    input: JSON.stringify({ cmd }, undefined, 2),
    parts: [{ type: 'terminal', command: cmd, output: 'out\n', exitCode }],
    durationMs: 1_200,
  };
}
