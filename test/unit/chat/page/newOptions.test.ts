import assert from 'node:assert/strict';
import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import type { ConfigOption } from '../../../../src/session/common/sessionEvents';
import type { ProfileAndModel } from '../../../../src/session/common/sessionBackend';
import { NewSessionOptions } from '../../../../src/chat/common/page/newSessionOptions';
import type { BackendView } from '../../../../src/chat/common/chatView';
import { eventually } from '../../../support/eventually';
import { FakeBackend } from '../../../fake/fakeBackend';

const throwIt = (error: unknown): never => {
  throw error;
};
const server: BackendView = {
  id: 'amplifier',
  title: 'Amplifier',
  description: 'http://127.0.0.1:8765',
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

describe('NewSessionOptions', () => {
  const kept = new Map<string, unknown>();
  let offered: () => Promise<readonly ConfigOption[]>;
  let opened: number;
  let asked: ProfileAndModel[];
  let options: NewSessionOptions;

  beforeEach(() => {
    kept.clear();
    opened = 0;
    offered = () => Promise.resolve([profile]);
    asked = [];
    options = made();
  });

  function made(): NewSessionOptions {
    const sessionOptions = (chosen: ProfileAndModel): Promise<readonly ConfigOption[]> => {
      asked.push(chosen);
      return offered();
    };
    const backends: BackendRegistry = {
      onDidChange: () => ({ dispose: () => undefined }),
      list: () => Promise.resolve([]),
      open: () => {
        opened++;
        return Promise.resolve(Object.assign(new FakeBackend('amplifier'), { sessionOptions }));
      },
    };
    const memento = {
      get: (name: string) => kept.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, value)),
    };
    return new NewSessionOptions({ backends, memento, onError: throwIt });
  }

  async function ask(view = server): Promise<void> {
    options.setBackends([view]);
    await options.of(view.id).refresh?.();
  }

  it('remembers the last commands of an agent, even in the next window', () => {
    const commands = [{ name: 'plan', description: 'Plan first', hint: 'what' }];
    options.rememberCommands('agent', commands);
    options.rememberCommands('agent', []);
    options.rememberCommands('other', [{ name: 'go', description: '' }]);
    assert.deepEqual(options.commandsFor('agent'), commands);
    const memento = { get: (name: string) => kept.get(name), update: () => Promise.resolve() };
    const backends: BackendRegistry = {
      onDidChange: () => ({ dispose: () => undefined }),
      list: () => Promise.resolve([]),
      open: () => Promise.reject(new Error('none')),
    };
    assert.deepEqual(new NewSessionOptions({ backends, memento, onError: throwIt }).commandsFor('agent'), commands);
  });

  it('offers the profile of a server and sends the chosen one', async () => {
    await ask();
    assert.deepEqual(options.of('amplifier').options, [profile]);
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'dev' });
    options.of('amplifier').choose('profile', 'team:review');
    assert.equal(options.of('amplifier').options[0]?.value, 'team:review');
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'team:review' });
  });

  it('remembers choices for the server at this address only', async () => {
    await ask();
    options.of('amplifier').choose('profile', 'team:review');
    await ask({ ...server, description: 'http://other:1' });
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'dev' });
    await ask();
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'team:review' });
    const later = made();
    later.setBackends([server]);
    assert.deepEqual(
      later.of('amplifier').profileAndModel,
      { profile: 'team:review' },
      'also where the server was not asked yet',
    );
  });

  it('uses the default again if the server no longer offers the chosen value', async () => {
    options.setBackends([server]);
    options.of('amplifier').choose('profile', 'gone');
    await ask();
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'dev' });
  });

  it('accepts a typed value if the server allows it', async () => {
    offered = () => Promise.resolve([{ ...profile, custom: true }]);
    await ask();
    options.of('amplifier').choose('profile', 'my-own');
    assert.equal(options.of('amplifier').options[0]?.value, 'my-own');
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'my-own' });
  });

  it('offers a model for each profile, since another profile may not have it', async () => {
    const model: ConfigOption = { ...profile, id: 'model', value: '', choices: [], custom: true };
    offered = () => Promise.resolve([profile, model]);
    await ask();
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'dev' });
    options.of('amplifier').choose('model', 'large');
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'dev', model: 'large' });
    options.of('amplifier').choose('profile', 'team:review');
    assert.deepEqual(options.of('amplifier').profileAndModel, { profile: 'team:review' });
    await eventually('the server is asked for that profile', () =>
      assert.deepEqual(asked.at(-1), { profile: 'team:review' }),
    );
  });

  it('shows why a value was refused until another one is chosen', async () => {
    offered = () => Promise.resolve([{ ...profile, problem: 'There is no dev.' }]);
    await ask();
    const problemOf = (): string | undefined => {
      const [option] = options.of('amplifier').options;
      return option?.type === 'select' ? option.problem : undefined;
    };
    assert.equal(problemOf(), 'There is no dev.');
    options.of('amplifier').choose('profile', 'team:review');
    assert.equal(problemOf(), undefined);
  });

  it('is empty for agents, and does not open them', async () => {
    options.setBackends([{ ...server, id: 'demo', source: 'demo' }]);
    await options.of('demo').refresh?.();
    await options.of('unheard of').refresh?.();
    assert.equal(opened, 0);
    assert.deepEqual(options.of('demo').options, []);
    assert.equal(options.of('demo').profileAndModel, undefined);
  });

  it('is empty while the server is unavailable', async () => {
    await ask();
    offered = () => Promise.reject(new Error('500'));
    await ask();
    assert.deepEqual(options.of('amplifier').options, []);
  });
});
