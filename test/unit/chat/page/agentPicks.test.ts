import assert from 'node:assert/strict';
import { agentPickDetail, agentPicks } from '../../../../src/chat/common/page/agentPicks';
import { backendView } from '../../../fake/fakeChats';

const demo = backendView('demo', 'demo', 'stopped');
const found = backendView('found', 'found', 'stopped');
const own = backendView('own', 'configured', 'ready');
const server = backendView('amplifier', 'server', 'unavailable');
const used = (title: string, updatedAt: number) => ({ backendTitle: title, updatedAt });

describe('agentPicks', () => {
  const ids = (...args: Parameters<typeof agentPicks>): readonly string[] => agentPicks(...args).map(({ id }) => id);

  it('begins with the chosen agent and those that were used last', () => {
    const rows = [used(own.title, 1), used(found.title, 5), used(own.title, 3)];
    assert.deepEqual(ids([demo, own, found], rows, 'demo'), ['demo', 'found', 'own']);
    assert.deepEqual(ids([demo, own, found], [], undefined), ['demo', 'own', 'found']);
  });

  it('leaves out a server that nobody has set up', () => {
    assert.deepEqual(ids([server, demo], [], 'demo'), ['demo']);
    const silent = { ...server, state: 'stopped', health: { kind: 'silent' } } as const;
    assert.deepEqual(ids([silent, demo], [], 'demo'), ['demo']);
    assert.deepEqual(ids([{ ...silent, health: { kind: 'needsToken' } }, demo], [], 'demo'), ['demo', 'amplifier']);
    assert.deepEqual(ids([server, demo], [used(server.title, 1)], 'demo'), ['demo', 'amplifier']);
    assert.deepEqual(ids([server, demo], [], 'amplifier'), ['amplifier', 'demo']);
    const asking = { ...silent, health: { kind: 'asking' } } as const;
    assert.deepEqual(ids([asking, demo], [], 'demo'), ['demo']);
  });

  it('moves none of the agents that are in the open list', () => {
    const answering = { ...server, state: 'stopped', health: { kind: 'answers' } } as const;
    assert.deepEqual(ids([answering, demo, own], [used(own.title, 1)], 'own', ['demo', 'gone', 'own']), [
      'demo',
      'own',
      'amplifier',
    ]);
    assert.deepEqual(ids([server, demo], [], 'demo', ['amplifier', 'demo']), ['amplifier', 'demo']);
  });
});

describe('agentPickDetail', () => {
  it('is one sentence of what is wrong, and no command line', () => {
    const problem = 'No server answers at 127.0.0.1:8410. Start one with "amplifier serve".\nThen try again.';
    assert.equal(agentPickDetail({ ...server, problem }), 'No server answers at 127.0.0.1:8410.');
    assert.equal(agentPickDetail({ ...found, description: 'npx claude-code-acp' }), undefined);
  });
});
