import assert from 'node:assert/strict';
import type { ToolCaller } from '../../../src/session/common/toolCaller';
import { ClientConnections } from '../../../src/tools/node/clientConnections';
import { FakeToolCaller } from '../../fake/fakeToolCaller';

describe('connections of clients', () => {
  const names: (string | undefined)[] = [];
  const create = (name: string | undefined): ToolCaller => {
    names.push(name);
    return new FakeToolCaller();
  };
  beforeEach(() => names.splice(0));

  const callerOf = (connections: ClientConnections, client: string, id: string): Promise<ToolCaller | undefined> =>
    connections.use(client, id, ({ caller }) => Promise.resolve(caller()));

  async function greet(connections: ClientConnections, client: string, id: string): Promise<void> {
    await connections.use(client, id, ({ setName }) => {
      setName(id);
      return Promise.resolve();
    });
  }

  it('keep their names and callers while they are used, however many others come', async () => {
    const connections = new ClientConnections(3);
    connections.setCaller('c', create);
    await greet(connections, 'c', 'live');
    const caller = await callerOf(connections, 'c', 'live');
    for (let index = 0; index < 10; index++) {
      await greet(connections, 'c', `other ${index}`);
      assert.equal(await callerOf(connections, 'c', 'live'), caller);
    }
    assert.deepEqual(names, ['live']);
    for (let index = 0; index < 3; index++) await callerOf(connections, 'c', `more ${index}`);
    assert.notEqual(
      await callerOf(connections, 'c', 'live'),
      caller,
      'the one that was not used for longest is dropped',
    );
    assert.equal(names.at(-1), undefined);
  });

  it('are kept while a request is open, and are not dropped by those of other clients', async () => {
    const connections = new ClientConnections(1);
    for (const client of ['c', 'd']) connections.setCaller(client, create);
    await greet(connections, 'd', 'quiet');
    const quiet = await callerOf(connections, 'd', 'quiet');
    const open = Promise.withResolvers<undefined>();
    const asked: (ToolCaller | undefined)[] = [];
    const waiting = connections.use('c', 'open', async ({ caller, setName }) => {
      setName('open');
      asked.push(caller());
      await open.promise;
      asked.push(caller());
    });
    for (let index = 0; index < 5; index++) await greet(connections, 'c', `other ${index}`);
    assert.equal(await callerOf(connections, 'c', 'open'), asked[0]);
    open.resolve(undefined);
    await waiting;
    assert.equal(asked[1], asked[0]);
    assert.equal(await callerOf(connections, 'd', 'quiet'), quiet);
    assert.deepEqual(names, ['quiet', 'open']);
  });

  it('have no caller once their client is forgotten, also during a request', async () => {
    const connections = new ClientConnections();
    connections.setCaller('c', create);
    const after = await connections.use('c', 'a', ({ caller }) => {
      assert.ok(caller());
      connections.forget('c');
      return Promise.resolve(caller());
    });
    assert.equal(after, undefined);
    assert.equal(await callerOf(connections, 'c', 'a'), undefined);
    assert.equal(await callerOf(connections, 'never known', 'a'), undefined);
  });
});
