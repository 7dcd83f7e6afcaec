import assert from 'node:assert/strict';
import type { BackendRegistry } from '../../../../src/amplifier/common/backendRegistry';
import type { ConfigOption } from '../../../../src/amplifier/common/events';
import { NewOptions } from '../../../../src/chat/common/page/newOptions';
import type { BackendView } from '../../../../src/chat/common/chatView';
import { FakeBackend } from '../../../fake/fakeBackend';

const throwIt = (error: unknown): never => {
  throw error;
};
const server: BackendView = {
  id: 'amplifier',
  title: 'Amplifier',
  description: '',
  source: 'server',
  state: 'ready',
};
const profile: ConfigOption = {
  type: 'select',
  id: 'profile',
  name: 'Profile',
  value: 'dev',
  choices: [
    { value: 'dev', name: 'dev' },
    { value: 'team:review', name: 'team:review', group: 'team' },
  ],
};

describe('what is chosen before a conversation begins', () => {
  const kept = new Map<string, unknown>();
  let offered: () => Promise<readonly ConfigOption[]>;
  let opened: number;
  let options: NewOptions;

  beforeEach(() => {
    kept.clear();
    opened = 0;
    offered = () => Promise.resolve([profile]);
    const backends: BackendRegistry = {
      onDidChange: () => ({ dispose: () => undefined }),
      list: () => Promise.resolve([]),
      open: () => {
        opened++;
        return Promise.resolve(Object.assign(new FakeBackend('amplifier'), { sessionOptions: () => offered() }));
      },
    };
    const memento = {
      get: (name: string) => kept.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, value)),
    };
    options = new NewOptions({ backends, memento, onError: throwIt });
  });

  it('has the commands that an agent had last, also in the next window', () => {
    const commands = [{ name: 'plan', description: 'Plan first', hint: 'what' }];
    options.keepCommands('agent', commands);
    options.keepCommands('agent', []);
    options.keepCommands('other', [{ name: 'go', description: '' }]);
    assert.deepEqual(options.commandsOf('agent'), commands);
    const memento = { get: (name: string) => kept.get(name), update: () => Promise.resolve() };
    const backends: BackendRegistry = {
      onDidChange: () => ({ dispose: () => undefined }),
      list: () => Promise.resolve([]),
      open: () => Promise.reject(new Error('none')),
    };
    assert.deepEqual(new NewOptions({ backends, memento, onError: throwIt }).commandsOf('agent'), commands);
  });

  it('is the profile of a server, and what was chosen goes along', async () => {
    await options.refresh(server);
    assert.deepEqual(options.of('amplifier'), [profile]);
    assert.deepEqual(options.choices('amplifier'), { profile: 'dev' });
    options.set('amplifier', 'profile', 'team:review');
    assert.deepEqual(options.of('amplifier'), [{ ...profile, value: 'team:review' }]);
    assert.deepEqual(options.choices('amplifier'), { profile: 'team:review' });
  });

  it('is the default again when the server no longer has what was chosen', async () => {
    options.set('amplifier', 'profile', 'gone');
    await options.refresh(server);
    assert.deepEqual(options.choices('amplifier'), { profile: 'dev' });
  });

  it('is nothing for agents, which are not even opened for it', async () => {
    await options.refresh({ ...server, id: 'demo', source: 'demo' });
    assert.equal(opened, 0);
    assert.deepEqual(options.of('demo'), []);
    assert.deepEqual(options.choices('demo'), {});
  });

  it('is nothing while the server cannot say', async () => {
    await options.refresh(server);
    offered = () => Promise.reject(new Error('500'));
    await options.refresh(server);
    assert.deepEqual(options.of('amplifier'), []);
  });
});
