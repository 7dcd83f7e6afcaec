import assert from 'node:assert/strict';
import { toDisposable } from '../../../../src/base/common/disposable';
import { Emitter } from '../../../../src/base/common/event';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import type { ConversationSource } from '../../../../src/chat/common/conversationSource';
import { ConversationList } from '../../../../src/chat/common/list/conversationList';
import { FakeChats } from '../../../fake/fakeChats';

const throwIt = (error: unknown): never => {
  throw error;
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function row(id: string): ConversationRow {
  return { id, title: id, backendId: 'amp', backendTitle: 'Amp', updatedAt: 1, state: 'idle', source: 'amp' };
}

/** Its reads end when the test says so. */
class SlowSource implements ConversationSource {
  readonly id = 'amp';
  readonly emitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  readonly reads: ((rows: readonly ConversationRow[]) => void)[] = [];
  viewers = 0;

  show = () => (this.viewers++, toDisposable(() => this.viewers--));
  rows = () => new Promise<readonly ConversationRow[]>((resolve) => this.reads.push(resolve));
  search = () => Promise.resolve([]);
  open = () => Promise.resolve();
  export = () => Promise.resolve();
}

describe('the rows of other sources in the list of conversations', () => {
  const source = new SlowSource();
  let list: ConversationList;
  let changes = 0;
  beforeEach(() => {
    source.reads.splice(0);
    list = new ConversationList(new FakeChats(), [source], throwIt);
    changes = 0;
    list.onDidChange(() => changes++);
  });
  afterEach(() => list.dispose());

  const ids = (): string[] => list.rows.filter((one) => one.source === source.id).map(({ id }) => id);

  it('are read each time the list is shown, as a source without rows may have some now', async () => {
    for (const id of ['amp:1', 'amp:2']) {
      const shown = list.show();
      assert.equal(source.viewers, 1);
      source.reads.shift()?.([row(id)]);
      await settled();
      assert.deepEqual(ids(), [id]);
      shown.dispose();
      assert.equal(source.viewers, 0);
    }
    assert.equal(changes, 2);
  });

  it('are those of the last read, in whatever order the reads end', async () => {
    list.show();
    source.emitter.fire();
    const [first, second] = source.reads;
    second?.([row('amp:new')]);
    await settled();
    first?.([row('amp:old')]);
    await settled();
    assert.deepEqual([ids(), changes], [['amp:new'], 1]);
  });

  it('are not read while the list is hidden', async () => {
    list.show().dispose();
    source.reads.splice(0);
    source.emitter.fire();
    await settled();
    assert.deepEqual(source.reads, []);
  });
});
