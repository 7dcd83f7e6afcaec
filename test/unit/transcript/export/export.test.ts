import assert from 'node:assert/strict';
import * as z from 'zod';
import { Entry } from '../../../../src/transcript/common/entries';
import { exportTranscript } from '../../../../src/transcript/common/export/exportTranscript';

const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>';
const base = { turn: 1 };
const entries: Entry[] = [
  { kind: 'prompt', id: '1', ...base, text: hostile, attachments: [{ kind: 'file', title: 'a.ts', path: '/ws/a.ts' }] },
  { kind: 'thinking', id: '2', ...base, text: 'Hm', durationMs: 1500 },
  { kind: 'answer', id: '3', ...base, text: '**Bold** and\n```ts\nlet a;\n```' },
  {
    kind: 'tool',
    id: '4',
    ...base,
    name: 'bash',
    title: `Run ${hostile}`,
    toolKind: 'execute',
    state: 'failed',
    error: hostile,
    parts: [
      { type: 'terminal', command: 'ls', output: '\u001b[31mred\u001b[0m\n', exitCode: 1 },
      {
        type: 'diff',
        path: '/ws/a.ts',
        change: 'modified',
        added: 1,
        removed: 1,
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: [
              { kind: 'remove', text: 'a' },
              { kind: 'add', text: '````' },
            ],
          },
        ],
      },
      { type: 'link', uri: 'javascript:alert(1)', title: 'Click' },
      { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
      { type: 'list', items: ['one'], omitted: 7 },
    ],
  },
  { kind: 'todos', id: '5', ...base, items: [{ text: 'Read', status: 'completed' }] },
  { kind: 'notice', id: '6', ...base, level: 'warning', text: 'Careful' },
  { kind: 'end', id: '7', ...base, outcome: 'failed', text: 'It broke.', usage: { input: 3, output: 4 } },
];
const head = { title: `About ${hostile}`, agentName: 'Agent', createdAt: 0 };

describe('exportTranscript', () => {
  it('returns an HTML page that runs and loads nothing', () => {
    const html = exportTranscript(head, entries, 'html');
    assert.doesNotMatch(html, /<script|<img src=x|href="javascript|<svg|data:image\/svg/i);
    assert.match(html, /default-src 'none'/);
    assert.match(html, /prefers-color-scheme: dark/);
    assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.match(html, /<ins>````<\/ins>/);
    assert.match(html, /It broke\. Used: 3 input tokens, 4 output tokens\./);
  });

  it('returns Markdown whose fences hold', () => {
    const markdown = exportTranscript(head, entries, 'markdown');
    assert.match(markdown, /\n`{5}diff\n@@ -1,1 \+1,1 @@\n-a\n\+````\n`{5}\n/);
    assert.match(markdown, /\*\*Bold\*\* and\n\n```ts\nlet a;\n```/);
    assert.match(markdown, /\$ ls\nred\n\[exit code 1\]/);
    assert.match(markdown, /<summary>Run &lt;script&gt;/);
    assert.match(markdown, /\(7 more characters omitted\)/);
    assert.doesNotMatch(markdown, /\u001b/);
  });

  it('says of a prompt that it has joined a turn', () => {
    const prompt = (id: string, text: string, isSteered?: boolean): Entry => ({
      kind: 'prompt',
      id,
      ...base,
      text,
      isSteered,
    });
    const asked = [prompt('1', 'First'), prompt('2', 'Also', true)];
    const title = 'Steered';
    const markdown = exportTranscript({ ...head, title }, asked, 'markdown');
    assert.match(markdown, /## User\n\nFirst\n\n## Agent\n\n## User, during the turn\n\nAlso\n/);
    assert.match(exportTranscript({ ...head, title }, asked, 'html'), /<h2>User, during the turn<\/h2>/);
  });

  it('returns JSON that can be read again', () => {
    const File = z.object({
      format: z.literal('backline-transcript'),
      version: z.literal(1),
      createdAt: z.string(),
      entries: z.array(Entry),
    });
    const file = File.parse(JSON.parse(exportTranscript(head, entries, 'json')));
    assert.deepEqual(file.entries, entries);
    assert.equal(file.createdAt, '1970-01-01T00:00:00.000Z');
  });
});
