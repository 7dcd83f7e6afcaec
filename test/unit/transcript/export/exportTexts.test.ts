import assert from 'node:assert/strict';
import type { EntryOf } from '../../../../src/transcript/common/entries';
import {
  attachmentText,
  diffText,
  durationText,
  turnEndText,
  omittedText,
  terminalText,
  toolSummary,
  stripAnsi,
} from '../../../../src/transcript/common/export/exportTexts';

describe('exportTexts', () => {
  it('name an attachment, its location, and that it was not sent', () => {
    const file = { kind: 'file', title: 'a.ts' } as const;
    assert.equal(attachmentText(file), 'a.ts');
    assert.equal(attachmentText({ ...file, path: '/w/a.ts' }), 'a.ts (/w/a.ts)');
    assert.equal(attachmentText({ ...file, path: '/w/a.ts', line: 7 }), 'a.ts (/w/a.ts:7)');
    assert.equal(attachmentText({ ...file, line: 7 }), 'a.ts');
    assert.equal(attachmentText({ ...file, notSent: true }), 'a.ts, not sent');
    assert.equal(attachmentText({ ...file, notSent: false }), 'a.ts');
  });

  it('count the lines of both sides of a hunk', () => {
    const lines = [
      { kind: 'context', text: 'a' },
      { kind: 'remove', text: 'b' },
      { kind: 'add', text: 'c' },
      { kind: 'add', text: 'd' },
    ] as const;
    const hunks = [
      { oldStart: 3, newStart: 4, lines: [...lines] },
      { oldStart: 9, newStart: 11, lines: [{ kind: 'remove' as const, text: 'e' }] },
    ];
    const part = { type: 'diff', path: '/a', change: 'modified', added: 2, removed: 2, hunks } as const;
    assert.equal(diffText(part), '@@ -3,2 +4,3 @@\n a\n-b\n+c\n+d\n@@ -9,1 +11,0 @@\n-e');
  });

  it('state how many characters are omitted, if any', () => {
    assert.equal(omittedText(3), '(3 more characters omitted)');
    assert.deepEqual([omittedText(0), omittedText(undefined)], [undefined, undefined]);
  });

  it('show a command with its output and exit code', () => {
    const part = { type: 'terminal', output: '' } as const;
    assert.equal(terminalText(part), '');
    assert.equal(terminalText({ ...part, command: 'ls' }), '$ ls');
    assert.equal(terminalText({ ...part, command: 'ls', output: '\x1b[1ma\x1b[0m\nb\n' }), '$ ls\na\nb');
    assert.equal(terminalText({ ...part, output: 'a\n\n', exitCode: 2 }), 'a\n\n[exit code 2]');
    assert.equal(terminalText({ ...part, output: 'a', exitCode: 0 }), 'a');
    assert.equal(terminalText({ ...part, output: 'a', exitCode: null }), 'a');
    assert.equal(terminalText({ ...part, signal: 'SIGTERM' }), '[ended by SIGTERM]');
  });

  it('contain no ANSI sequences', () => {
    assert.equal(stripAnsi('\x1b[31;1ma\x1b[K\x1b]0;title\x07b\x1b]8;;x\x1b\\c\x1bMd'), 'abcd');
  });

  const tool = (more: Partial<EntryOf<'tool'>> = {}): EntryOf<'tool'> => ({
    kind: 'tool',
    id: 't',
    turn: 1,
    name: 'Bash',
    title: 'Bash: ls',
    toolKind: 'execute',
    state: 'done',
    parts: [],
    ...more,
  });

  it('summarize a call in words: unusual state, failure, decision and duration', () => {
    assert.equal(toolSummary(tool()), 'Bash: ls');
    assert.equal(toolSummary(tool({ state: 'cancelled' })), 'Bash: ls — Canceled');
    assert.equal(toolSummary(tool({ state: 'timedOut' })), 'Bash: ls — Timed out');
    assert.equal(toolSummary(tool({ state: 'stale' })), 'Bash: ls — Not finished');
    assert.equal(toolSummary(tool({ state: 'rejected', decision: 'Deny' })), 'Bash: ls — Denied, Deny');
    assert.equal(toolSummary(tool({ error: 'no' })), 'Bash: ls — Error');
    assert.equal(toolSummary(tool({ state: 'failed', error: 'no' })), 'Bash: ls — Failed');
    const parts = [{ type: 'terminal', output: '', exitCode: 3 } as const];
    const all = tool({ parts, decision: 'Allow', durationMs: 1500 });
    assert.equal(toolSummary(all), 'Bash: ls — Exit code 3, Allow, 1.5 s');
  });

  const end = (more: Partial<EntryOf<'end'>> = {}): EntryOf<'end'> => ({
    kind: 'end',
    id: 'e',
    turn: 1,
    outcome: 'completed',
    ...more,
  });

  it('omit the end of a turn without anything to report', () => {
    assert.equal(turnEndText(end()), undefined);
    assert.equal(turnEndText(end({ text: 'x', changes: [], usage: {} })), undefined);
  });

  it('describe in words how a turn ended, its changes and its usage', () => {
    assert.equal(turnEndText(end({ outcome: 'cancelled' })), 'Stopped.');
    assert.equal(turnEndText(end({ outcome: 'failed', text: 'No network.' })), 'No network.');
    assert.equal(turnEndText(end({ outcome: 'failed', text: '' })), undefined);
    const change = { change: 'modified', state: 'applied', added: 2, removed: 1 } as const;
    const changes = [
      { ...change, path: 'a.ts' },
      { ...change, path: 'b.ts', added: 0 },
    ];
    assert.equal(turnEndText(end({ changes })), 'Changed: a.ts (+2 −1), b.ts (+0 −1).');
    const cost = { amount: 0.5, currency: 'USD' };
    assert.equal(
      turnEndText(end({ usage: { input: 10, output: 0, cost } })),
      'Used: 10 input tokens, 0 output tokens, 0.5 USD.',
    );
    assert.equal(turnEndText(end({ usage: { output: 3 } })), 'Used: 3 output tokens.');
    const all = end({ outcome: 'limit', changes: changes.slice(1), usage: { input: 1 } });
    assert.equal(turnEndText(all), 'Limit reached. Changed: b.ts (+0 −1). Used: 1 input token.');
  });

  it('format durations in a fitting unit, and never as 60 seconds', () => {
    const shown: readonly (readonly [number, string])[] = [
      [0, '0 ms'],
      [999.4, '999 ms'],
      [999.5, '1.0 s'],
      [1000, '1.0 s'],
      [59_940, '59.9 s'],
      [59_950, '1 min 0 s'],
      [60_000, '1 min 0 s'],
      [90_400, '1 min 30 s'],
      [119_499, '1 min 59 s'],
      [119_500, '2 min 0 s'],
    ];
    for (const [ms, words] of shown) assert.equal(durationText(ms), words, String(ms));
  });
});
