import { nullLogger } from '../../../../src/base/common/log';
import { FakeClock } from '../../../fake/fakeClock';
import assert from 'node:assert/strict';
import { OpenBackends } from '../../../../src/chat/common/conversations/openBackends';
import { FakeBackend } from '../../../fake/fakeBackend';
import { ChatBackends } from '../support/chatBackend';

describe('UsedBackends', () => {
  let told: string[];
  let used: OpenBackends;
  beforeEach(() => {
    told = [];
    used = new OpenBackends(new ChatBackends(), new FakeClock(), nullLogger, {
      onReady: ({ id }) => told.push(`ready ${id}`),
      onChange: () => told.push('change'),
    });
  });
  afterEach(() => used.dispose());

  it('reports a backend once each time it becomes ready', () => {
    const backend = new FakeBackend('one');
    used.add(backend);
    assert.deepEqual([used.runningBackends, told], [[], ['change']]);
    backend.change({ kind: 'ready' });
    backend.change({ kind: 'ready' });
    assert.deepEqual([used.runningBackends, told], [[backend], ['change', 'ready one', 'change', 'change']]);
    backend.change({ kind: 'stopped' });
    assert.deepEqual([used.runningBackends, used.stateOf('one')], [[], { kind: 'stopped' }]);
    backend.change({ kind: 'ready' });
    assert.equal(told.filter((what) => what === 'ready one').length, 2);
  });

  it('listens to a backend once, and no longer when another one replaces it', () => {
    const [before, after] = [new FakeBackend('one'), new FakeBackend('one')];
    used.add(before);
    used.add(before);
    assert.deepEqual(told, ['change']);
    used.add(after);
    told.length = 0;
    before.change({ kind: 'ready' });
    assert.deepEqual([told, used.get('one')], [[], after]);
  });

  it('stops listening when disposed', () => {
    const [one, two] = [new FakeBackend('one'), new FakeBackend('two')];
    used.add(one);
    used.dispose();
    told.length = 0;
    one.change({ kind: 'ready' });
    used.add(two);
    assert.deepEqual([told, used.get('one'), used.stateOf('two')], [[], undefined, undefined]);
  });
});
