// A conversation that has one of everything.
import type { Entry, EntryOf } from '../../../src/transcript/common/entries';

const start = Date.UTC(2026, 10, 21, 9, 30);

/** Red on blue, 2 by 2 pixels. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==';

export const answerText = `I read the parser and its tests. The bug is in \`splitRow\`: a separator inside quotes **ends the field**.

1. \`splitRow\` now counts quotes before it cuts.
2. An unclosed quote is an error that names its line, see [parse.ts](src/csv/parse.ts#L42).

\`\`\`ts src/csv/parse.ts
export function splitRow(row: string, separator = ','): string[] {
  const fields: string[] = [];
  let isQuoted = false;
  return fields;
}
\`\`\`

| case | before | after |
|---|---|---|
| \`"a,b",c\` | 3 fields | 2 fields |
| \`"a\` | hangs | an error |
`;

export function toolEntry(values: Partial<EntryOf<'tool'>> & { id: string }): EntryOf<'tool'> {
  return {
    kind: 'tool',
    turn: 1,
    name: 'tool',
    title: 'A tool',
    toolKind: 'other',
    state: 'done',
    parts: [],
    ...values,
  };
}

const diff = {
  type: 'diff',
  path: '/work/csv/src/csv/parse.ts',
  change: 'modified',
  added: 3,
  removed: 1,
  hunks: [
    {
      oldStart: 40,
      newStart: 40,
      lines: [
        { kind: 'context', text: 'export function splitRow(row: string): string[] {' },
        { kind: 'remove', text: "  return row.split(',');" },
        { kind: 'add', text: '  const fields: string[] = [];' },
        {
          kind: 'add',
          text: '  let isQuoted = false; // a long line that does not fit in a narrow panel and scrolls inside',
        },
        { kind: 'add', text: '  return fields;' },
        { kind: 'context', text: '}' },
      ],
    },
    { oldStart: 90, newStart: 92, lines: [{ kind: 'context', text: '// the end' }] },
  ],
} as const;

const terminalLines = Array.from({ length: 40 }, (_, at) => `\u001b[32m✔\u001b[0m case ${at + 1} of the parser`).join(
  '\n',
);

/** Two turns: one that went well and used every tool, one that failed. */
export function sampleEntries(): Entry[] {
  return [
    {
      kind: 'prompt',
      id: 'p1',
      turn: 1,
      at: start,
      text: 'The CSV parser splits quoted fields.\nFix it and run the tests.',
      attachments: [
        { kind: 'file', title: 'parse.ts', path: '/work/csv/src/csv/parse.ts' },
        { kind: 'problems', title: '2 problems' },
        { kind: 'image', title: 'screenshot.png', image: { mimeType: 'image/png', data: pixel } },
        { kind: 'text', title: 'Instructions', text: 'Be brief.\nRun the tests after each change.' },
      ],
    },
    {
      kind: 'thinking',
      id: 'th1',
      turn: 1,
      text: 'The separator is looked for without regard to quotes. '.repeat(23),
      durationMs: 12_300,
    },
    {
      kind: 'todos',
      id: 'todo1',
      turn: 1,
      items: [
        { text: 'Read the parser', status: 'completed' },
        { text: 'Count quotes in splitRow', status: 'in_progress', priority: 'high' },
        { text: 'Run the tests', status: 'pending' },
        { text: 'Rewrite everything', status: 'cancelled' },
      ],
    },
    toolEntry({
      id: 'read1',
      title: 'Read src/csv/parse.ts',
      toolKind: 'read',
      durationMs: 40,
      parts: [{ type: 'file', path: '/work/csv/src/csv/parse.ts', text: 'one\ntwo\nthree\n', firstLine: 38 }],
    }),
    toolEntry({
      id: 'search1',
      title: 'Search for splitRow',
      toolKind: 'search',
      durationMs: 210,
      parts: [{ type: 'list', items: ['src/csv/parse.ts:40: export function splitRow', 'test/parse.test.ts:3'] }],
    }),
    toolEntry({
      id: 'edit1',
      title: 'Edit src/csv/parse.ts',
      toolKind: 'edit',
      state: 'waiting',
      parts: [{ ...diff, hunks: diff.hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })) }],
    }),
    toolEntry({
      id: 'run1',
      title: 'npm test -- parse --reporter=spec --a-very-long-option-that-does-not-fit-in-the-title=whatever',
      toolKind: 'execute',
      state: 'failed',
      durationMs: 3_400,
      input: '{\n  "command": "npm test -- parse"\n}',
      parts: [{ type: 'terminal', command: 'npm test -- parse', output: terminalLines, exitCode: 1 }],
      error: 'The command ended with exit code 1.',
      decision: 'Allow once',
    }),
    toolEntry({
      id: 'agent1',
      title: 'Find all callers',
      toolKind: 'agent',
      state: 'running',
      startedAt: start,
      canStop: true,
      parts: [
        { type: 'text', text: 'general-purpose · Sonnet · Effort: High', role: 'about' },
        { type: 'text', text: 'Find all callers of `splitRow`, also in the **tests**.', role: 'task' },
        { type: 'text', text: 'I look at the parser first.' },
        { type: 'text', text: 'Two files call it.', role: 'report' },
      ],
    }),
    {
      kind: 'answer',
      id: 'sub1',
      turn: 1,
      parent: 'agent1',
      text: 'There are two callers.',
    },
    toolEntry({
      id: 'sub2',
      parent: 'agent1',
      title: 'Fetch https://example.com/csv',
      toolKind: 'fetch',
      state: 'rejected',
    }),
    { kind: 'answer', id: 'a1', turn: 1, text: answerText },
    {
      kind: 'end',
      id: 'e1',
      turn: 1,
      outcome: 'completed',
      durationMs: 64_000,
      usage: { input: 12_345, output: 890, cacheRead: 9_000, cost: { amount: 0.0123, currency: 'USD' } },
      changes: [
        { path: '/work/csv/src/csv/parse.ts', change: 'modified', added: 3, removed: 1, state: 'applied' },
        { path: '/work/csv/test/quoted.test.ts', change: 'created', added: 20, removed: 0, state: 'applied' },
        { path: '/work/csv/src/old.ts', change: 'deleted', added: 0, removed: 12, state: 'reverted' },
      ],
    },
    { kind: 'prompt', id: 'p2', turn: 2, at: start + 90_000, text: 'שלום! Now do the same for TSV.' },
    { kind: 'notice', id: 'n1', turn: 2, level: 'info', text: 'The model was changed to “fast”.' },
    { kind: 'notice', id: 'n2', turn: 2, level: 'warning', text: 'The agent is slow.', details: 'stderr: retrying' },
    { kind: 'summary', id: 's1', turn: 2, text: 'What was said **before**.' },
    { kind: 'media', id: 'm1', turn: 2, part: { type: 'image', mimeType: 'image/png', data: pixel, title: 'A chart' } },
    { kind: 'raw', id: 'r1', turn: 2, label: 'audio block', json: '{\n  "type": "audio"\n}' },
    {
      kind: 'end',
      id: 'e2',
      turn: 2,
      outcome: 'failed',
      text: 'The agent ended unexpectedly. Send the prompt again to start it anew.',
      details: 'Error: exit code 137\n    at process (agent.js:1:1)',
    },
  ];
}
