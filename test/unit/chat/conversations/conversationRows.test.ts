import assert from 'node:assert/strict';
import type { ConversationHead, PlaceElsewhere } from '../../../../src/chat/common/chatStore';
import type { ConversationPlace } from '../../../../src/chat/common/conversations/conversationPlace';
import { ConversationRows } from '../../../../src/chat/common/conversations/conversationRow';
import type { LiveConversation } from '../../../../src/chat/common/windows/liveConversation';

const head = (id: string, members: Partial<ConversationHead> = {}): ConversationHead => ({
  version: 1,
  id,
  title: `About ${id}`,
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 1,
  state: 'idle',
  ...members,
});

type Repository = NonNullable<ConversationPlace['folders'][number]['repository']>;
const placed = (real: string, repository?: Repository): Pick<ConversationHead, 'place'> => ({
  place: { folders: [{ path: real, real, ...(repository && { repository }) }], at: 1 },
});

describe('the rows of conversations', () => {
  let heads: ConversationHead[];
  let here: ConversationPlace | undefined;
  let situation: string;
  let elsewhere: Map<string, PlaceElsewhere>;
  let live: Map<string, { live: LiveConversation; isInOtherWindow: boolean }>;
  let rows: ConversationRows;
  const shared = { liveOf: (id: string) => live.get(id) ?? {} };
  beforeEach(() => {
    heads = [];
    here = undefined;
    situation = '';
    elsewhere = new Map();
    live = new Map();
    const store = {
      get heads() {
        return heads;
      },
      get here() {
        return here;
      },
      get situation() {
        return situation;
      },
      elsewhere: ({ id }: ConversationHead) => elsewhere.get(id),
    };
    rows = new ConversationRows(store, shared);
  });

  const changed = (): typeof rows.all => {
    rows.invalidate();
    return rows.all;
  };
  const repositories = (): unknown[] => changed().map(({ repository }) => repository);

  it('say what the head says, and what the conversation does in its window', () => {
    const facts = {
      branch: 'main',
      changes: { files: 1, added: 2, removed: 3 },
      cost: { amount: 0.5, currency: 'USD' },
    };
    heads = [head('a', { ...facts, pinnedAt: 5, archivedAt: 6 }), head('b', { pinnedAt: 0, archivedAt: 0 })];
    const basic = { backendId: 'one', backendTitle: 'One', updatedAt: 1, state: 'idle' };
    assert.deepEqual(changed(), [
      { id: 'a', title: 'About a', ...basic, ...facts, isPinned: true, isArchived: true },
      { id: 'b', title: 'About b', ...basic },
    ]);
    const activity = { kind: 'running', title: 'ls' } as const;
    live.set('a', { live: { state: 'busy', turn: 1, activity, turnStartedAt: 7 }, isInOtherWindow: true });
    const need = { kind: 'approval', text: 'Run ls', since: 3 } as const;
    live.set('b', { live: { state: 'waiting', turn: 1, activity: { kind: 'waiting' }, need }, isInOtherWindow: false });
    const [first, second] = changed();
    assert.deepEqual(first, { id: 'b', title: 'About b', ...basic, state: 'waiting', need });
    assert.deepEqual([second?.activity, second?.turnStartedAt, second?.isInOtherWindow], [activity, 7, true]);
  });

  it('are the same objects while they say the same, and so is the list', () => {
    heads = [head('a', placed('/a')), head('b'), head('c')];
    const before = changed();
    assert.equal(rows.all, before);
    // As they are read from the disk again.
    heads = structuredClone(heads);
    assert.equal(changed(), before);
    live.set('b', { live: { state: 'busy', turn: 1 }, isInOtherWindow: false });
    const busy = changed();
    const unchanged = (id: string): boolean =>
      busy.find((row) => row.id === id) === before.find((row) => row.id === id);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => unchanged(id)),
      [true, false, true],
    );
    situation = 'The window has another folder.';
    elsewhere.set('c', { folder: '/c', isGone: false });
    assert.deepEqual(changed().find(({ id }) => id === 'c')?.elsewhere, { folder: '/c', isGone: false });
    heads = heads.slice(1);
    assert.deepEqual(
      changed().map(({ id }) => id),
      ['b', 'c'],
    );
  });

  it('do not contain what the user has deleted, until that is taken back', () => {
    heads = [head('a', { deletedAt: 5 }), head('b', { deletedAt: 0 })];
    assert.deepEqual(
      changed().map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual(rows.found(heads.map((one) => ({ head: one, snippet: 'Text', entryId: 'e1' }))), [
      { row: { ...rows.all[0], snippet: 'Text' }, entryId: 'e1' },
    ]);
    heads = [head('a', { deletedAt: 0 }), head('b')];
    assert.equal(changed().length, 2);
  });

  it('stay sorted after each change, as all of them made anew are', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `${index}`);
    heads = ids.map((id, index) => head(id, { updatedAt: (index * 7) % 40 }));
    changed();
    const steps = [
      () => (heads = heads.map((one) => (one.id === '9' ? { ...one, updatedAt: 100 } : one))),
      () => (heads = [...heads, head('new', { updatedAt: 50.5 }), head('old', { updatedAt: -1 })]),
      () => (heads = heads.filter(({ id }) => id !== '20')),
      () => live.set('30', { live: { state: 'busy', turn: 1 }, isInOtherWindow: false }),
      () => (heads = heads.map((one) => (one.id === '5' ? { ...one, deletedAt: 7 } : one))),
      () => live.delete('30'),
    ];
    for (const step of steps) {
      step();
      assert.deepEqual(
        changed(),
        new ConversationRows({ heads, here, situation, elsewhere: () => undefined }, shared).all,
      );
    }
    assert.deepEqual(rows.deleted, [{ id: '5', deletedAt: 7 }]);
  });

  it('have one repository for all its worktrees and clones', () => {
    const remote = 'example.com/team/app';
    const app = { id: remote, name: 'app' };
    heads = [
      head('a', placed('/home/me/app', { first: 'f1', remote, below: '' })),
      head('b', placed('/home/me/app-fix/src/core', { first: 'f1', remote, below: 'src/core' })),
      head('clone', placed('/tmp/other', { first: 'f2', remote, below: '' })),
      // Before the repository had a remote.
      head('early', placed('/home/me/app', { first: 'f1', below: '' })),
    ];
    assert.deepEqual(repositories(), [app, app, app, app]);
    here = heads[3]?.place;
    assert.deepEqual(rows.repositories, [remote]);
    heads = [head('alone', placed('C:\\me\\app\\src\\core', { first: 'f3', below: 'src/core' }))];
    assert.deepEqual(repositories(), [{ id: 'f3', name: 'app' }]);
  });

  it('have the repository in which the agent works, if the window has several folders', () => {
    const folders = ['/me/app', '/me/app/lib', '/me/web'].map((real) => ({ path: real, real }));
    const inFolder = (id: string, folder?: string) =>
      head(id, { place: { folders, at: 1 }, ...(folder === undefined ? {} : { folder }) });
    heads = [inFolder('a'), inFolder('b', '/me/web/src'), inFolder('c', '/me/app/lib'), inFolder('d', '/other')];
    const names = ['app', 'web', 'lib', 'app'];
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((id) => changed().find((row) => row.id === id)?.repository?.name),
      names,
    );
  });

  it('have one name for all worktrees of a repository without a remote, in whatever order they are known', () => {
    const worktrees = ['/me/app-fix', '/me/app', '/me/zzz'].map((real) =>
      head(real, placed(real, { first: 'f', below: '' })),
    );
    const app = { id: 'f', name: 'app' };
    heads = worktrees.slice(0, 1);
    assert.deepEqual(repositories(), [{ id: 'f', name: 'app-fix' }]);
    heads = worktrees.slice(0, 2);
    assert.deepEqual(repositories(), [app, app]);
    heads = worktrees;
    assert.deepEqual(repositories(), [app, app, app]);
  });

  it('have their folder if that is in no repository', () => {
    heads = [head('a', placed('/home/me/notes')), head('b')];
    assert.deepEqual(repositories(), [{ id: '/home/me/notes', name: 'notes' }, undefined]);
    assert.deepEqual(rows.repositories, []);
  });
});
