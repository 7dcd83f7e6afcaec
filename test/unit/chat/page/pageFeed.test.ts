import assert from 'node:assert/strict';
import type { EnterDuringTurn } from '../../../../src/platform/common/settings';
import { Emitter } from '../../../../src/base/common/event';
import { EditorError } from '../../../../src/editor/common/editorPort';
import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import type { ChatUpdate } from '../../../../src/chat/common/page/chatApi';
import { SharedDraft } from '../../../../src/chat/common/conversation/sharedDraft';
import { MissingAttachments } from '../../../../src/chat/common/mentions/missingAttachments';
import { DraftCount } from '../../../../src/comments/common/draftCount';
import { BackendChoice } from '../../../../src/chat/common/page/backendChoice';
import { NewSessionOptions } from '../../../../src/chat/common/page/newSessionOptions';
import { PageChips } from '../../../../src/chat/common/page/pageChips';
import { PageNotices } from '../../../../src/chat/common/marks/pageNotices';
import { PageFeed } from '../../../../src/chat/common/page/feed/pageFeed';
import type { MentionRow } from '../../../../src/chat/common/chatView';
import { FakeChats } from '../../../fake/fakeChats';
import { SettingPresets } from '../../../fake/settingPresets';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { settled } from '../support/window';

const noBackends: BackendRegistry = {
  onDidChange: () => ({ dispose: () => undefined }),
  list: () => Promise.resolve([]),
  open: () => Promise.reject(new Error('none')),
};

const throwIt = (error: unknown): never => {
  throw error;
};

describe('PageFeed', () => {
  let chats: FakeChats;
  let clock: FakeClock;
  let notices: PageNotices;
  let feed: PageFeed;
  let posted: ChatUpdate[];
  /** Whether the page shows each update at once. */
  let isPageFast: boolean;
  let outdated: string[];
  let chips: PageChips;
  let offeredRow: MentionRow | undefined;
  let offeredChange: Emitter<void>;
  let enterDuringTurn: { value: EnterDuringTurn; onDidChange: Emitter<void>['event'] };
  let enterDuringTurnChange: Emitter<void>;
  let counts: { reviewed: number; total: number } | undefined;
  let reviewedChange: Emitter<void>;
  const draftComments = new DraftCount(throwIt);
  let newOptions: NewSessionOptions;
  let backends: BackendChoice;
  let editor: FakeEditor;
  let attached: MissingAttachments;
  let begun: SharedDraft;
  const filesMoved = new Emitter<void>(throwIt);

  beforeEach(() => {
    chats = new FakeChats();
    clock = new FakeClock();
    posted = [];
    isPageFast = true;
    begun = new SharedDraft({ text: 'begun', attachments: [] }, () => undefined, throwIt);
    editor = new FakeEditor({ '/ws/a.ts': 'a', '/ws/b.ts': 'b' });
    outdated = [];
    chips = new PageChips([], throwIt);
    offeredRow = undefined;
    offeredChange = new Emitter<void>(throwIt);
    enterDuringTurnChange = new Emitter<void>(throwIt);
    enterDuringTurn = { value: 'steer', onDidChange: enterDuringTurnChange.event };
    counts = undefined;
    reviewedChange = new Emitter<void>(throwIt);
    const memento = { get: () => undefined, update: () => Promise.resolve() };
    newOptions = new NewSessionOptions({ backends: noBackends, memento, onError: throwIt });
    backends = new BackendChoice({
      chats,
      preferred: () => ({ ofUser: '', ofWorkspace: '' }),
      memento,
      onError: throwIt,
    });
    attached = new MissingAttachments({ editor, onDidChangeFiles: filesMoved.event, clock, onError: throwIt });
    attached.start();
    notices = new PageNotices(throwIt);
    feed = new PageFeed({
      chats,
      backends,
      chips,
      offered: { currentRow: () => Promise.resolve(offeredRow), onDidChange: offeredChange.event },
      attached,
      keyChords: { prefixes: ['ctrl+k'], onDidChange: new Emitter<void>(throwIt).event },
      enterDuringTurn,
      newOptions,
      presets: new SettingPresets(),
      notices,
      draftComments,
      reviewed: { countsOf: () => counts, onDidChange: reviewedChange.event },
      folders: () => ['/work'],
      isTrusted: () => true,
      newDraft: begun,
      post: (update) => {
        posted.push(update);
        if (isPageFast) feed.onShown();
      },
      onOutdated: (chat) => void outdated.push(chat.id),
      clock,
    });
    feed.start();
  });
  afterEach(() => {
    feed.dispose();
    attached.dispose();
  });

  const answer = (text: string) => ({ kind: 'answer', id: 'a', turn: 1, text, streaming: true }) as const;

  it('posts the last commands of the agent of a new conversation', async () => {
    await backends.refresh();
    feed.connectPage();
    assert.deepEqual(posted.at(-1)?.newCommands, []);
    const chat = chats.add('one');
    const commands = [{ name: 'plan', description: 'Plan first' }];
    chat.change({ commands });
    feed.show(chat);
    clock.advance(100);
    assert.deepEqual(posted.at(-1)?.newCommands, commands);
    clock.advance(1000);
    const told = posted.length;
    clock.advance(1000);
    assert.equal(posted.length, told, 'once');
  });

  it('shows the reopened conversation after another window has taken it over', () => {
    const chat = chats.add('one');
    feed.show(chat);
    chat.change({ status: 'busy' });
    assert.deepEqual(outdated, []);
    chat.isOutdated = true;
    chat.change({ status: 'readonly' });
    assert.deepEqual(outdated, ['one']);
    feed.show(undefined);
    chat.change({});
    assert.deepEqual(outdated, ['one'], 'nobody shows it');
  });

  it('posts immediately when requested', () => {
    feed.connectPage();
    feed.show(chats.add('one'));
    assert.equal(posted.at(-1)?.session, null);
    feed.flushNow();
    assert.equal(posted.at(-1)?.session?.id, 'one');
  });

  it('posts a sent draft, from any page, and the draft again if it was refused', async () => {
    const chat = chats.add('one');
    feed.show(chat);
    feed.connectPage();
    chat.onSend = () => Promise.reject(new Error('There is no such program.'));
    const sent = { text: 'precious', attachments: [] };
    const refused = chat.send(sent);
    clock.advance(100);
    assert.deepEqual([posted.at(-1)?.sent, posted.at(-1)?.draft], [sent, undefined]);
    await assert.rejects(refused);
    clock.advance(100);
    const { draft, refused: back } = posted.at(-1) ?? {};
    assert.deepEqual([draft, back], [sent, sent]);
  });

  it('posts a refused draft to a page that was hidden, unless it was sent again', async () => {
    const chat = chats.add('one');
    feed.show(chat);
    chat.onSend = () => Promise.reject(new Error('There is no such program.'));
    const sent = { text: 'precious', attachments: [] };
    await assert.rejects(chat.send(sent));
    feed.connectPage();
    assert.deepEqual(posted.at(-1)?.refused, sent);
    feed.disconnectPage();
    await assert.rejects(chat.send(sent));
    chat.onSend = () => Promise.resolve();
    await chat.send(sent);
    feed.connectPage();
    assert.deepEqual([posted.at(-1)?.sent, posted.at(-1)?.refused], [sent, undefined]);
  });

  it('posts both drafts that were given back in one frame', () => {
    feed.connectPage();
    clock.advance(1000);
    begun.restoreWithdrawn({ text: 'One', attachments: [] });
    begun.restoreWithdrawn({ text: 'Two', attachments: [] }, 'One');
    feed.flushNow();
    assert.equal(
      posted.map(({ refused }) => refused?.text).findLast((text) => text !== undefined),
      'One\nTwo',
    );
  });

  it('posts what became of a prompt that could not start a conversation', () => {
    feed.connectPage();
    const sent = { text: 'precious', attachments: [] };
    begun.beginSend('p', sent);
    clock.advance(100);
    assert.deepEqual(posted.at(-1), { sent });
    feed.show(chats.add('one'), true);
    clock.advance(100);
    assert.equal(posted.at(-1)?.keepsComposer, true);
    feed.show(undefined, true);
    begun.restoreRefused('p');
    clock.advance(100);
    const { draft, keepsComposer, refused, session } = posted.at(-1) ?? {};
    assert.deepEqual(
      { draft, keepsComposer, refused, session },
      { draft: sent, keepsComposer: true, refused: sent, session: null },
    );
    clock.advance(1000);
    begun.beginSend('q', sent);
    clock.advance(100);
    assert.deepEqual(posted.at(-1), { sent }, 'once');
  });

  it('posts what the editor offers, when it changes and when there is no more', async () => {
    const told = async () => {
      offeredChange.fire();
      await settled();
      clock.advance(100);
      return posted.flatMap(({ offered }) => (offered === undefined ? [] : [offered?.title ?? null]));
    };
    feed.connectPage();
    offeredRow = { kind: 'file', id: 'file:/ws/a.ts', title: 'a.ts', path: '/ws/a.ts' };
    assert.deepEqual(await told(), [null, 'a.ts']);
    offeredRow = { ...offeredRow };
    assert.deepEqual(await told(), [null, 'a.ts']);
    offeredRow = undefined;
    assert.deepEqual(await told(), [null, 'a.ts', null]);
  });

  it('posts how many comments were not sent', () => {
    feed.connectPage();
    assert.equal(posted.at(-1)?.draftComments, 0);
    draftComments.set(3);
    clock.advance(100);
    assert.equal(posted.at(-1)?.draftComments, 3);
  });

  it('posts how many changes are reviewed, when that changes and for another conversation', async () => {
    feed.connectPage();
    assert.equal(posted.at(-1)?.reviewed, null);
    feed.show(await chats.create('demo-agent'));
    counts = { reviewed: 12, total: 20 };
    reviewedChange.fire();
    clock.advance(100);
    assert.deepEqual(posted.at(-1)?.reviewed, { reviewed: 12, total: 20 });
    counts = undefined;
    feed.show(undefined);
    clock.advance(100);
    assert.equal(posted.at(-1)?.reviewed, null);
  });

  it('posts what Enter does during a turn, also when the setting changes', () => {
    feed.connectPage();
    assert.equal(posted.at(-1)?.enterDuringTurn, 'steer');
    enterDuringTurn.value = 'queue';
    enterDuringTurnChange.fire();
    clock.advance(100);
    assert.deepEqual(posted.at(-1), { enterDuringTurn: 'queue' });
  });

  it('posts which files of the draft are missing as soon as that is known', async () => {
    const chat = chats.add('one');
    const file = (path: string) => ({ kind: 'file' as const, id: `file:${path}`, title: path, path });
    const draft = { text: 'Look', attachments: [file('/ws/a.ts'), file('/ws/b.ts'), file('/elsewhere.ts')] };
    const told = async () => {
      clock.advance(1000);
      await settled();
      clock.advance(1000);
      return posted.flatMap(({ missing }) => (missing ? [missing] : []));
    };
    feed.show(chat);
    feed.connectPage();
    chat.saveDraft(draft);
    feed.checkForMissingAttachments();
    assert.deepEqual(await told(), [[]]);
    editor.deleteFile('/ws/a.ts');
    filesMoved.fire();
    assert.deepEqual(await told(), [[], ['file:/ws/a.ts']]);
    editor.setFile('/ws/a.ts', 'back');
    filesMoved.fire();
    assert.deepEqual((await told()).at(-1), []);
    editor.deleteFile('/ws/b.ts');
    feed.disconnectPage();
    filesMoved.fire();
    feed.connectPage();
    assert.deepEqual((await told()).at(-1), ['file:/ws/b.ts'], 'a page that comes is told, too');
    await chat.send(draft);
    assert.deepEqual((await told()).at(-1), [], 'with the prompt it has left the composer');
  });

  it('posts the latest result about missing files, even if an earlier check ends later', async () => {
    const chat = chats.add('one');
    const lookNow = editor.stat.bind(editor);
    const slow = Promise.withResolvers<never>();
    feed.show(chat);
    feed.connectPage();
    chat.saveDraft({ text: '', attachments: [{ kind: 'file', id: 'a', title: 'a.ts', path: '/ws/a.ts' }] });
    editor.stat = () => slow.promise;
    filesMoved.fire();
    clock.advance(1000);
    editor.stat = lookNow;
    filesMoved.fire();
    clock.advance(1000);
    await settled();
    slow.reject(new EditorError('notFound', 'There is no such file.'));
    await settled();
    clock.advance(1000);
    assert.deepEqual(
      posted.flatMap(({ missing }) => (missing ? [missing] : [])),
      [[]],
    );
  });

  it('posts nothing before there is a page', () => {
    feed.show(chats.add('one'));
    clock.advance(1000);
    assert.equal(posted.length, 0);
  });

  it('posts everything immediately when a page connects', () => {
    const chat = chats.add('one');
    chat.say(answer('hello'));
    feed.show(chat);
    feed.connectPage();
    assert.equal(posted.length, 1);
    const [update] = posted;
    assert.equal(update?.session?.id, 'one');
    assert.equal(update.transcript?.reset, true);
    assert.equal(update.untrusted, false);
    assert.deepEqual(
      update.sessions?.map(({ id }) => id),
      ['one'],
    );
    assert.deepEqual(update.draft, { text: '', attachments: [] });
  });

  it('posts the draft of the empty page if there is no conversation', () => {
    feed.connectPage();
    assert.equal(posted[0]?.session, null);
    assert.equal(posted[0].draft?.text, 'begun');
  });

  it('posts at most one update per frame, with all text, at a thousand events per second', () => {
    const chat = chats.add('one');
    chat.say(answer(''));
    feed.show(chat);
    feed.connectPage();
    posted.splice(0);
    for (let ms = 0; ms < 1000; ms++) {
      chat.transcript.append('a', 'x');
      chat.change({ statusText: String(ms) });
      clock.advance(1);
    }
    clock.advance(16);
    assert.ok(posted.length <= Math.ceil(1000 / 16) + 1, `${posted.length} updates`);
    const texts = posted.flatMap(({ transcript }) => transcript?.append ?? []).map(({ text }) => text);
    assert.equal(texts.join('').length, 1000);
  });

  it('posts what came while the page was busy in one update, with all text', () => {
    const chat = chats.add('one');
    chat.say(answer(''));
    feed.show(chat);
    feed.connectPage();
    isPageFast = false;
    posted.splice(0);
    for (let ms = 0; ms < 1000; ms++) {
      chat.transcript.append('a', 'x');
      clock.advance(1);
    }
    const texts = (): (string | undefined)[] => posted.map(({ transcript }) => transcript?.append?.[0]?.text);
    assert.deepEqual(texts(), ['x'.repeat(16)]);
    feed.onShown();
    assert.deepEqual(texts(), ['x'.repeat(16), 'x'.repeat(984)]);
  });

  it('goes on with a page that responds, but has not told that it has shown an update', () => {
    isPageFast = false;
    feed.connectPage();
    feed.show(chats.add('one'));
    clock.advance(1000);
    assert.equal(posted.length, 1);
    feed.onAlive();
    assert.equal(posted.at(-1)?.session?.id, 'one');
  });

  it('posts the list of conversations at most four times per second', () => {
    feed.connectPage();
    posted.splice(0);
    for (let ms = 0; ms < 1000; ms += 5) {
      chats.add('one', 'busy');
      clock.advance(5);
    }
    assert.ok(posted.filter(({ sessions }) => sessions).length <= 4);
  });

  it('posts nothing while the page is hidden, and everything when it is shown again', () => {
    const chat = chats.add('one');
    chat.say(answer(''));
    feed.show(chat);
    feed.connectPage();
    feed.disconnectPage();
    posted.splice(0);
    chat.transcript.append('a', 'while it was hidden');
    chat.change({ status: 'busy' });
    clock.advance(1000);
    assert.equal(posted.length, 0);
    feed.connectPage();
    assert.equal(posted[0]?.session?.status, 'busy');
    assert.match(JSON.stringify(posted[0].transcript?.put), /while it was hidden/);
  });

  it('keeps nothing of the conversation shown before', () => {
    const [one, two] = [chats.add('one'), chats.add('two')];
    feed.show(one);
    feed.connectPage();
    feed.show(two);
    clock.advance(16);
    posted.splice(0);
    one.change({ status: 'busy' });
    one.say(answer('of the other'));
    clock.advance(16);
    assert.equal(posted.length, 0);
  });

  it('keeps open what it shows, but nothing when the page was closed', () => {
    const chat = chats.add('one');
    feed.show(chat);
    assert.equal(chat.holders, 1);
    feed.dispose();
    assert.equal(chat.holders, 0);
    feed.show(chat);
    assert.deepEqual([feed.chat, chat.holders], [undefined, 0]);
  });

  it('posts older entries on request', () => {
    const chat = chats.add('one');
    for (let index = 0; index < 100; index++) chat.say({ ...answer(`${index}`), id: `a${index}` });
    feed.show(chat);
    feed.connectPage();
    assert.equal(posted[0]?.transcript?.put?.length, 40);
    feed.load({ kind: 'older', count: 25, keepsAll: false });
    assert.equal(posted[1]?.transcript?.older?.length, 25);
    assert.equal(posted[1].transcript.before, 35);
  });
});
