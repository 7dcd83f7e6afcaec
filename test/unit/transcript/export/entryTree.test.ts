import assert from 'node:assert/strict';
import { buildEntryTree, type EntryNode } from '../../../../src/transcript/common/export/entryTree';
import { exportTranscript } from '../../../../src/transcript/common/export/exportTranscript';
import type { Entry } from '../../../../src/transcript/common/entries';

const answer = (id: string, parent?: string): Entry => ({
  kind: 'answer',
  id,
  turn: 1,
  text: `Said ${id}`,
  ...(parent === undefined ? {} : { parent }),
});
const task: Entry = {
  kind: 'tool',
  id: 't',
  turn: 1,
  name: 'Task',
  title: 'Task',
  toolKind: 'agent',
  state: 'done',
  parts: [],
};

function written(nodes: readonly EntryNode[]): string {
  return nodes.map(({ entry, steps }) => entry.id + (steps.length > 0 ? `(${written(steps)})` : '')).join(' ');
}

describe('buildEntryTree', () => {
  it('puts entries below their call, wherever they come', () => {
    assert.equal(written(buildEntryTree([answer('t'), answer('b'), answer('x', 't'), answer('y', 'x')])), 't(x(y)) b');
  });

  it('never loses an entry: with a loop, without its call, or nested very deeply', () => {
    assert.equal(
      written(buildEntryTree([answer('a', 'b'), answer('b', 'a'), answer('c', 'c'), answer('d', 'gone')])),
      'a(b) c d',
    );
    const deep = Array.from({ length: 20_000 }, (_, n) => answer(`${n}`, `${n - 1}`));
    assert.equal(written(buildEntryTree(deep)).match(/\d+/g)?.length, 20_000);
  });

  it('puts steps inside the details of their call, in Markdown and HTML', () => {
    const entries = [task, answer('b'), answer('x', 't')];
    for (const format of ['markdown', 'html'] as const) {
      const text = exportTranscript({ title: 'T', agentName: 'Amp' }, entries, format);
      const [end, inside, after] = [text.indexOf('</details>'), text.indexOf('Said x'), text.indexOf('Said b')];
      assert.ok(inside >= 0 && inside < end && end < after, format);
    }
  });
});
