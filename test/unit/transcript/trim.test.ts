import assert from 'node:assert/strict';
import type { Entry, EntryOf } from '../../../src/transcript/common/entries';
import { toolFailureText } from '../../../src/transcript/common/toolFailure';
import { truncateEntry } from '../../../src/transcript/common/truncateEntry';

describe('truncateEntry', () => {
  const tool = (parts: EntryOf<'tool'>['parts']): EntryOf<'tool'> => ({
    kind: 'tool',
    id: 't',
    turn: 1,
    name: 'n',
    title: 'n',
    toolKind: 'other',
    state: 'done',
    parts,
  });

  it('truncates a long entry, and counts the omitted units', () => {
    const text = 'x'.repeat(50_000);
    const trimmed = truncateEntry(tool([{ type: 'text', text }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'text');
    assert.equal(trimmed.parts[0].text.length + (trimmed.parts[0].omitted ?? 0), text.length);
  });

  it('bounds the size of an entry, whichever of its texts is long', () => {
    const long = 'x'.repeat(500_000);
    const base = { id: 'e', turn: 1 } as const;
    const part = { type: 'text', text: long } as const;
    const entries: Entry[] = [
      { kind: 'prompt', ...base, text: long },
      { kind: 'answer', ...base, text: long },
      { kind: 'thinking', ...base, text: long },
      { kind: 'summary', ...base, text: long },
      { kind: 'notice', ...base, level: 'info', text: long, details: long },
      { kind: 'end', ...base, outcome: 'failed', text: long, details: long },
      { kind: 'todos', ...base, items: [{ text: long, status: 'pending' }] },
      { kind: 'media', ...base, part },
      { kind: 'raw', ...base, label: long, json: long },
      { ...tool([part]), title: long, input: long, error: long, decision: long },
    ];
    for (const entry of entries) {
      const trimmed = truncateEntry(entry);
      assert.ok(JSON.stringify(trimmed).length < 300_000, entry.kind);
      assert.equal(unitsIn(trimmed), unitsIn(entry), `${entry.kind} does not say all that was cut`);
      assert.equal(truncateEntry(trimmed), trimmed);
    }
  });

  it('keeps streaming text complete, since the page appends to it', () => {
    const entry: Entry = { kind: 'answer', id: 'a', turn: 1, text: 'x'.repeat(500_000), streaming: true };
    assert.equal(truncateEntry(entry), entry);
  });

  it('keeps the end of command output, from the start of a line', () => {
    const output = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const trimmed = truncateEntry(tool([{ type: 'terminal', output }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'terminal');
    assert.match(trimmed.parts[0].output, /^line \d+\n/);
    assert.ok(trimmed.parts[0].output.endsWith('line 19999'));
  });

  it('does not split a surrogate pair', () => {
    const trimmed = truncateEntry(tool([{ type: 'text', text: `x${'😀'.repeat(20_000)}` }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'text');
    assert.ok(trimmed.parts[0].text.isWellFormed());
  });

  it('returns the same object for a short entry', () => {
    const entry = tool([{ type: 'text', text: 'short' }]);
    assert.equal(truncateEntry(entry), entry);
  });
});

/** All texts, and what is said to be missing of them. */
function unitsIn(value: unknown, name = ''): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return name === 'omitted' ? value : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, member]) => sum + unitsIn(member, key), 0);
}

describe('toolFailureText', () => {
  const call = (part: Partial<EntryOf<'tool'>>): EntryOf<'tool'> => ({
    kind: 'tool',
    id: 't',
    turn: 1,
    name: 'Bash',
    title: 'Bash',
    toolKind: 'execute',
    state: 'done',
    parts: [],
    ...part,
  });
  const exit = (part: object): EntryOf<'tool'> => call({ parts: [{ type: 'terminal', output: '', ...part }] });

  it('describes the failure of a call whose state is done', () => {
    assert.equal(toolFailureText(exit({ exitCode: 3 })), 'Exit code 3');
    assert.equal(toolFailureText(exit({ exitCode: null })), 'Ended by a signal');
    assert.equal(toolFailureText(exit({ exitCode: null, signal: 'SIGKILL' })), 'Ended by SIGKILL');
    assert.equal(toolFailureText(call({ error: 'Half of it' })), 'Error');
  });

  it('is undefined otherwise', () => {
    assert.equal(toolFailureText(exit({ exitCode: 0 })), undefined);
    assert.equal(toolFailureText(exit({})), undefined);
    assert.equal(toolFailureText(call({ state: 'failed', error: 'It is said by the state' })), undefined);
  });
});
