import assert from 'node:assert/strict';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { ApprovalWatch } from '../../../../src/chat/common/marks/approvalWatch';
import { BackendChoice } from '../../../../src/chat/common/page/backendChoice';
import { chatMarks } from '../../../../src/chat/common/marks/chatMarks';
import { chatStatus } from '../../../../src/chat/common/marks/chatStatus';
import { restoreNewDraft } from '../../../../src/chat/common/page/newDraft';
import { HeartbeatMonitor } from '../../../../src/chat/common/page/feed/heartbeatMonitor';
import { ShownChats } from '../../../../src/chat/common/marks/shownChats';
import type { ApprovalView, BackendView } from '../../../../src/chat/common/chatView';
import { backendView, FakeChat, FakeChats } from '../../../fake/fakeChats';
import { FakeClock } from '../../../fake/fakeClock';

const throwIt = (error: unknown): never => {
  throw error;
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('BackendChoice', () => {
  let chats: FakeChats;
  let memento: MemoryMemento;
  let preferred: string;
  let ofWorkspace: string;
  let choice: BackendChoice;

  beforeEach(() => {
    chats = new FakeChats();
    memento = new MemoryMemento();
    preferred = ofWorkspace = '';
    const levels = () => ({ ofUser: preferred, ofWorkspace });
    choice = new BackendChoice({ chats, preferred: levels, memento, onError: throwIt });
    choice.start();
  });
  afterEach(() => choice.dispose());

  it('chooses the demo agent if none was used before', async () => {
    await choice.refresh();
    assert.equal(choice.chosenBackend?.id, 'demo-agent');
  });

  it('chooses the last used one, unless the setting or the user in this window overrides it', async () => {
    memento.values.set('chat.backend', 'other');
    chats.changeBackends([...chats.views, backendView('third', 'configured', 'stopped')]);
    await choice.refresh();
    assert.equal(choice.chosenBackend?.id, 'other');
    preferred = 'The third';
    assert.equal(choice.chosenBackend.id, 'third');
    choice.choose('demo-agent');
    assert.equal(choice.chosenBackend.id, 'demo-agent');
    assert.equal(memento.values.get('chat.backend'), 'demo-agent');
  });

  it('chooses another one if the setting names a missing backend, and reports that', async () => {
    preferred = 'gone';
    await choice.refresh();
    assert.equal(choice.chosenBackend?.id, 'demo-agent');
    assert.equal(choice.isPreferredBackendMissing, true);
  });

  it('takes the one of the workspace only if the user has chosen none', async () => {
    chats.changeBackends([...chats.views, backendView('third', 'configured', 'stopped')]);
    await choice.refresh();
    ofWorkspace = 'The third';
    assert.equal(choice.chosenBackend?.id, 'third');
    memento.values.set('chat.backend', 'other');
    assert.equal(choice.chosenBackend.id, 'other');
    preferred = 'demo-agent';
    assert.equal(choice.chosenBackend.id, 'demo-agent');
    ofWorkspace = 'gone';
    assert.equal(choice.isPreferredBackendMissing, false);
    preferred = '';
    assert.equal(choice.isPreferredBackendMissing, false);
    memento.values.clear();
    assert.equal(choice.isPreferredBackendMissing, true);
  });

  it('waits for the first list of backends before it says that there is none', async () => {
    const clock = new FakeClock();
    const listed = Promise.withResolvers<readonly BackendView[]>();
    chats.backends = () => listed.promise;
    const chosen = choice.waitForChosenBackend(clock);
    listed.resolve(chats.views);
    assert.equal((await chosen)?.id, 'demo-agent');
    assert.equal(clock.pending, 0);
    chats.backends = () => assert.fail('it is known');
    assert.equal((await choice.waitForChosenBackend(clock))?.id, 'demo-agent');
  });

  it('says that there is none when the list is empty, and when it takes too long that it is still loading', async () => {
    const clock = new FakeClock();
    chats.views = [];
    assert.equal(await choice.waitForChosenBackend(clock), undefined);
    chats.backends = () => Promise.withResolvers<readonly BackendView[]>().promise;
    const refused = assert.rejects(choice.waitForChosenBackend(clock), /still loading/);
    clock.advance(10_000);
    await refused;
  });

  it('follows changes of the backends', async () => {
    await choice.refresh();
    let changes = 0;
    choice.onDidChange(() => changes++);
    chats.changeBackends([backendView('demo-agent', 'demo', 'failed')]);
    await settled();
    assert.equal(choice.chosenBackend?.state, 'failed');
    assert.equal(changes, 1);
  });
});

describe('HeartbeatMonitor', () => {
  it('detects three missed heartbeats, and none after the computer slept', () => {
    const clock = new FakeClock();
    let silences = 0;
    const watch = new HeartbeatMonitor(clock, () => silences++);
    watch.start();
    for (let index = 0; index < 10; index++) {
      clock.advance(5_000);
      watch.recordHeartbeat();
    }
    assert.equal(silences, 0);
    clock.advance(15_000);
    assert.equal(silences, 0);
    clock.advance(5_000);
    assert.equal(silences, 1);
    clock.advance(60_000);
    assert.equal(silences, 1, 'once, until the page responds');
    watch.recordHeartbeat();
    clock.advance(20_000);
    assert.equal(silences, 2);
  });

  it('does not check a hidden page', () => {
    const clock = new FakeClock();
    const watch = new HeartbeatMonitor(clock, () => assert.fail());
    watch.start();
    watch.dispose();
    watch.recordHeartbeat();
    clock.advance(60_000);
    assert.equal(clock.pending, 0);
  });
});

describe('ShownChats', () => {
  it('shows a conversation as long as one page shows it', () => {
    const shown = new ShownChats();
    const chat = new FakeChat('one');
    const [view, tab] = [{}, {}];
    shown.setShown(view, chat);
    shown.setShown(tab, chat);
    shown.setShown(view, undefined);
    assert.equal(chat.visibility, 'seen');
    shown.setShown(tab, undefined);
    assert.equal(chat.visibility, 'hidden');
    assert.equal(shown.has('one'), false);
  });

  it('is not seen while the window has no focus', () => {
    const shown = new ShownChats();
    const [chat, other] = [new FakeChat('one'), new FakeChat('two')];
    const page = {};
    shown.isWindowFocused = false;
    shown.setShown(page, chat);
    assert.equal(chat.visibility, 'shown');
    shown.isWindowFocused = true;
    assert.equal(chat.visibility, 'seen');
    shown.setShown(page, other);
    assert.deepEqual([chat.visibility, other.visibility], ['hidden', 'seen']);
  });
});

describe('restoreNewDraft', () => {
  it('restores the draft in the next window, with its images', () => {
    const memento = new MemoryMemento();
    const first = restoreNewDraft(memento, throwIt);
    const image = { kind: 'image', id: 'i', title: 'i.png', image: { mimeType: 'image/png', data: 'AA==' } } as const;
    const file = { kind: 'file', id: 'f', title: 'f.ts', path: '/ws/f.ts' } as const;
    first.save({ text: 'half a thought', attachments: [image, file] });
    assert.equal(first.value.attachments.length, 2);
    assert.deepEqual(restoreNewDraft(memento, throwIt).value, { text: 'half a thought', attachments: [image, file] });
    first.beginSend('p', first.value);
    assert.equal(restoreNewDraft(memento, throwIt).value.text, '');
  });

  it('is empty if the stored value is invalid', () => {
    const memento = new MemoryMemento();
    memento.values.set('chat.newDraft', 7);
    assert.deepEqual(restoreNewDraft(memento, throwIt).value, { text: '', attachments: [] });
  });
});

describe('ApprovalWatch', () => {
  const question = (id: string): ApprovalView => ({
    id,
    prompt: `May I ${id}?`,
    asks: 'Demo agent',
    parts: [],
    options: [{ label: 'Allow', kind: 'allow_once' }],
    state: 'pending',
  });

  it('lists the approvals of all conversations until they are answered', async () => {
    const chats = new FakeChats();
    const watch = new ApprovalWatch(chats, throwIt);
    watch.start();
    chats.add('one').change({ approvals: [question('write')] });
    chats.add('two').change({ approvals: [question('run')] });
    chats.add('one', 'waiting');
    chats.add('two', 'waiting');
    await settled();
    assert.deepEqual(watch.pendingApprovals.map(({ prompt }) => prompt).sort(), ['May I run?', 'May I write?']);
    let changes = 0;
    watch.onDidChange(() => changes++);
    await chats.opened.get('one')?.answerApproval({ approvalId: 'write', option: 'Allow', shown: undefined });
    assert.deepEqual(
      watch.pendingApprovals.map(({ prompt }) => prompt),
      ['May I run?'],
    );
    assert.ok(changes > 0);
    chats.add('two', 'idle');
    assert.deepEqual(watch.pendingApprovals, []);
    watch.dispose();
  });

  it('does not retry forever for a conversation that cannot be opened', async () => {
    const chats = new FakeChats();
    const errors: unknown[] = [];
    const watch = new ApprovalWatch(chats, (error) => errors.push(error));
    watch.start();
    chats.add('one');
    chats.opened.clear();
    chats.rows = chats.rows.map((row) => ({ ...row, state: 'waiting' }));
    chats.open = () => Promise.reject(new Error('damaged'));
    chats.add('other');
    await settled();
    assert.equal(errors.length, 1);
    watch.dispose();
  });
});

describe('chatStatus', () => {
  const action = (label: string) => ({ label, command: label });
  const actions = {
    open: action('open'),
    pickBackend: action('pick'),
    showNext: action('show'),
    openSettings: action('settings'),
    manageTrust: action('trust'),
  };
  const calm = {
    isTrusted: true,
    chosen: backendView('demo-agent', 'demo', 'ready'),
    isPreferredMissing: false,
    marks: chatMarks([]),
  };

  it('names the current agent, and first what needs the user', () => {
    assert.equal(chatStatus(calm, actions).summary, 'New conversations use The demo-agent.');
    const asking = { ...calm, marks: chatMarks([{ id: 'one', title: 'Fix it', state: 'waiting' }]) };
    assert.equal(chatStatus(asking, actions).summary, '“Fix it” needs your input.');
    assert.deepEqual(
      chatStatus(asking, actions).actions?.map(({ command }) => command),
      ['open', 'show'],
    );
    assert.equal(chatStatus({ ...calm, isPreferredMissing: true }, actions).state, 'attention');
    assert.equal(chatStatus({ ...asking, isTrusted: false }, actions).actions?.[0]?.command, 'trust');
  });
});
