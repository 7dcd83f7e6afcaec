import assert from 'node:assert/strict';
import { KeepActions } from '../../../../src/chat/vscode/review/keepActions';
import { FakeChat } from '../../../fake/fakeChats';

describe('Keep All', () => {
  const change = { path: '/ws/a.ts', change: 'modified', added: 1, removed: 1, state: 'applied' } as const;
  let chat: FakeChat;
  let counts: { reviewed: number; total: number };
  let answer: string | undefined;
  let asked: string[];
  let forgotten: string[];
  let shown: number;
  const keep = (): Promise<void> =>
    new KeepActions({
      reviewed: {
        count: () => Promise.resolve(counts),
        forget: (paths) => Promise.resolve(void forgotten.push(...paths)),
      },
      dialogs: {
        choose: ({ actions, message }) => {
          asked.push(`${message} ${actions.join()}`);
          return Promise.resolve(answer);
        },
      },
      wait: (_title, work) => work,
      showNextUnreviewed: () => Promise.resolve(shown++),
    }).keepAll([chat]);

  beforeEach(() => {
    chat = new FakeChat('one');
    chat.change({ changes: [change] });
    counts = { reviewed: 12, total: 20 };
    answer = undefined;
    [asked, forgotten, shown] = [[], [], 0];
  });

  it('asks if something is not reviewed, and keeps nothing when the dialog is closed', async () => {
    await keep();
    assert.deepEqual(asked, ['8 changes are not reviewed. Keep all? Keep All,Review']);
    assert.equal(chat.view.changes.length, 1);
    assert.deepEqual(forgotten, []);
  });

  it('shows the next change that is not reviewed instead', async () => {
    counts = { reviewed: 0, total: 1 };
    answer = 'Review';
    await keep();
    assert.deepEqual(asked, ['1 change is not reviewed. Keep all? Keep All,Review']);
    assert.equal(shown, 1);
    assert.equal(chat.view.changes.length, 1);
  });

  it('keeps all if the user says so, and forgets the marks', async () => {
    answer = 'Keep All';
    await keep();
    assert.equal(chat.view.changes.length, 0);
    assert.deepEqual(forgotten, ['/ws/a.ts']);
  });

  it('does not ask if all is reviewed', async () => {
    counts = { reviewed: 20, total: 20 };
    await keep();
    assert.deepEqual(asked, []);
    assert.equal(chat.view.changes.length, 0);
  });
});
