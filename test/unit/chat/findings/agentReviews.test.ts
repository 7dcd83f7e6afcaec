import assert from 'node:assert/strict';
import { AgentReviews, type FindingsOfReviewer } from '../../../../src/chat/common/findings/agentReviews';
import type { TextsOfChange } from '../../../../src/changes/common/review/reviewSource';
import { FakeChats } from '../../../fake/fakeChats';

describe('a review of changes by another agent', () => {
  const textsByPath = new Map<string, TextsOfChange>([
    ['/ws/a.ts', { baseline: 'old\n', text: 'new\n' }],
    ['/ws/secret.env', { baseline: 'old\n', text: 'new\n' }],
    ['/ws/image.png', { baseline: undefined, text: undefined }],
    ['/ws/moved.ts', { baseline: null, text: 'one\nTWO\n' }],
    ['/ws/before.ts', { baseline: 'one\ntwo\n', text: null }],
  ]);
  let chats: FakeChats;
  let attached: string[];
  let opened: string[];
  let found: FindingsOfReviewer[];
  let notes: string[];
  let paths: readonly string[];
  let picked: { backendId: string; backendTitle: string } | undefined;
  let reviews: AgentReviews;

  beforeEach(() => {
    chats = new FakeChats();
    [attached, opened, found, notes] = [[], [], [], []];
    paths = [...textsByPath.keys()];
    picked = { backendId: 'other', backendTitle: 'Other' };
    reviews = new AgentReviews({
      chats,
      source: {
        get paths() {
          return paths;
        },
        formerPaths: new Map([['/ws/moved.ts', '/ws/before.ts']]),
        texts: (path) => Promise.resolve(textsByPath.get(path) ?? { baseline: undefined, text: undefined }),
      },
      pickAgent: () => Promise.resolve(picked),
      resolve: (path) => (path.endsWith('.env') ? Promise.reject(new Error('It is excluded.')) : Promise.resolve(path)),
      shownPathOf: (path) => path.slice('/ws/'.length),
      attachText: (title, text) => {
        attached.push(text);
        return { kind: 'text', id: 'text:1', title };
      },
      openBeside: (id) => Promise.resolve(opened.push(id)),
      showFindings: (findings) => Promise.resolve(void found.push(findings)),
      notify: (text) => void notes.push(text),
    });
  });

  const answer =
    '```json\n[{"file": "a.ts", "line": 1, "text": "Why?"}, {"file": "b.ts", "line": 1, "text": "x"}]\n```';

  it('gives it all changes that it may read, in a conversation beside that can only read', async () => {
    await reviews.start();
    const [[id, chat] = ['', undefined]] = chats.opened;
    assert.deepEqual(opened, [id]);
    assert.equal(chat?.view.backendId, 'other');
    assert.match(chat.sent[0]?.text ?? '', /^Review these changes/);
    assert.deepEqual(
      chat.sent[0]?.attachments.map(({ title }) => title),
      ['Changes to review'],
    );
    assert.deepEqual(attached, [
      '=== a.ts (modified)\n  - old\n1 + new\n2   \n\n=== moved.ts (modified)\n1   one\n  - two\n2 + TWO\n3   \n\n',
    ]);
  });

  it('has its findings shown, also of later answers, and ignores other conversations', async () => {
    await reviews.start();
    const [id = ''] = chats.opened.keys();
    await reviews.takeAnswer({ conversation: 'another', agent: 'Other', text: answer });
    assert.equal(found.length, 0);
    await reviews.takeAnswer({ conversation: id, agent: 'Other', text: answer });
    const [shown] = found;
    assert.equal(shown?.agent, 'Other');
    assert.deepEqual(
      shown.findings.map(({ path, text }) => [path, text]),
      [['/ws/a.ts', 'Why?']],
    );
    assert.deepEqual(notes, [
      '1 finding of Other stands at its lines. 1 finding without a changed line can be read in its conversation.',
    ]);
  });

  it('begins with nothing if no agent is chosen, and says that there are no changes', async () => {
    picked = undefined;
    await reviews.start();
    assert.equal(chats.opened.size, 0);
    paths = [];
    await assert.rejects(reviews.start(), /no agent changes/);
  });
});
