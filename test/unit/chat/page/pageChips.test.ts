import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/common/event';
import type { ContextChipView } from '../../../../src/chat/common/chatView';
import { PageChips, type ChipSource } from '../../../../src/chat/common/page/pageChips';

const throwIt = (error: unknown): never => {
  throw error;
};

function source(of: (backendId: string) => Promise<readonly ContextChipView[]>) {
  const emitter = new Emitter<void>(throwIt);
  const switched: string[] = [];
  const chips: ChipSource = {
    onDidChange: emitter.event,
    chipsFor: of,
    set: (kind, isOn) => void switched.push(`${kind} ${isOn}`),
  };
  return { chips, emitter, switched };
}

describe('PageChips', () => {
  it('lists the chips of all sources in order, even if one source fails', async () => {
    const failures: unknown[] = [];
    const git = { kind: 'git', label: 'Git: main', isOn: true };
    const good = source((backendId) => Promise.resolve(backendId === 'server' ? [git] : []));
    const bad = source(() => Promise.reject(new Error('no')));
    const chips = new PageChips([bad.chips, good.chips], (error) => failures.push(error));
    assert.deepEqual(await chips.chipsFor('server'), [git]);
    assert.deepEqual(await chips.chipsFor('agent'), []);
    assert.equal(failures.length, 2);
  });

  it('reports changes of any source, and passes each switch to all', () => {
    const one = source(() => Promise.resolve([]));
    const other = source(() => Promise.resolve([]));
    const chips = new PageChips([one.chips, other.chips], throwIt);
    let changes = 0;
    chips.onDidChange(() => changes++);
    chips.start();
    one.emitter.fire();
    other.emitter.fire();
    assert.equal(changes, 2);
    chips.setEnabled('git', false);
    assert.deepEqual([one.switched, other.switched], [['git false'], ['git false']]);
    chips.dispose();
    one.emitter.fire();
    assert.equal(changes, 2);
  });
});
