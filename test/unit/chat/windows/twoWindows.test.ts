import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { FakeClock } from '../../../fake/fakeClock';
import { ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { until } from '../../../support/eventually';
import { draft, outline, Window } from '../support/window';

/** What the files of a conversation alone tell another window. What windows tell each other: otherWindows.test.ts. */
describe('A conversation in two windows', () => {
  let first: Window;
  let second: Window;
  beforeEach(async () => {
    first = await Window.open({ backends: new ChatBackends('one'), isOlder: true });
    second = await Window.open({ folder: first.folder, backends: new ChatBackends('one'), isOlder: true });
  });
  afterEach(async () => {
    await second.close();
    await first.remove();
  });

  /** One that was spoken in, and that nobody has open any more. */
  async function closed(): Promise<string> {
    const window = await Window.open({ folder: first.folder, backends: new ChatBackends('one') });
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.end('Gone.');
    await until('the end', () => outline(chat).includes('end: completed'));
    await window.close();
    return chat.id;
  }

  async function both() {
    const id = await closed();
    const chats = { here: await first.chats.open(id), there: await second.chats.open(id) };
    chats.here.setVisibility('seen');
    chats.there.setVisibility('seen');
    return { id, ...chats };
  }

  it('is not locked by a window that only reads it', async () => {
    const { here, id, there } = await both();
    assert.equal(here.view.status, 'idle');
    assert.equal(there.view.status, 'idle');
    assert.ok(!(await readdir(path.join(first.folder, id))).includes('lock'));
  });

  it('is followed while the other window writes, and taken over when that is closed', async () => {
    const { here, there } = await both();
    await here.send(draft('More'));
    await until('the prompt', () => outline(there).includes('prompt: More'));
    assert.equal(there.view.status, 'readonly');
    assert.equal(there.view.isInUse, true);
    assert.match(there.view.statusText ?? '', /In use in another VS Code window/);
    await assert.rejects(there.send(draft('Me, too')), { code: 'readonly' });
    await assert.rejects(second.chats.delete(there.id), { code: 'readonly' });
    await assert.rejects(there.stop(), { code: 'readonly' });
    first.agent.last.say('Some');
    await until('some of the answer', () => outline(there).includes('answer: Some'));
    first.agent.last.say(' more.');
    first.agent.last.end('Some more.');
    await until('the answer', () => outline(there).at(-1) === 'end: completed');
    assert.deepEqual(outline(there), outline(here));
    assert.equal(second.agent.sessions.length, 0);

    await first.chats.stop();
    await until('it is free', () => there.view.status === 'idle');
    await there.send(draft('Mine now'));
    assert.deepEqual(second.agent.calls, ['load one-1'], 'the session that the other window has made');
    second.agent.last.end('Yours.');
    await until('the end', () => outline(there).at(-2) === 'answer: Yours.');
    assert.equal(there.view.isInUse, undefined);
  });

  it('does not show approvals that are answered in the other window', async () => {
    const { here, there } = await both();
    await here.send(draft('May you?'));
    first.agent.last.tell(event('approval:required', { approval_id: 'a', prompt: 'May I?', options: ['Yes', 'No'] }));
    await until('the question', () => (there.view.statusText ?? '').includes('An approval is waiting'));
    assert.deepEqual(there.view.approvals, []);
    assert.equal(here.view.approvals.length, 1);
  });

  it('continues with what the other window has written once claimed, followed or not', async () => {
    const { here, id, there } = await both();
    there.setVisibility('hidden');
    // The last look is over then.
    await second.chats.open(id);
    await here.send(draft('Unseen'));
    first.agent.last.end('Seen by nobody.');
    await until('the end', () => outline(here).at(-1) === 'end: completed');
    await first.chats.stop();
    assert.ok(!outline(there).includes('prompt: Unseen'), 'nobody looks');
    await there.send(draft('Next'));
    assert.deepEqual(outline(there).slice(3), [
      'prompt: Unseen',
      'answer: Seen by nobody.',
      'end: completed',
      'prompt: Next',
    ]);
    await second.store.search('needle');
    assert.equal((await loggedTypes(there.id)).filter((type) => type === 'prompt').length, 3);
  });

  it('is refused to one of two windows that send at the same time', async () => {
    const { here, there } = await both();
    const sent = await Promise.allSettled([here.send(draft('A')), there.send(draft('B'))]);
    assert.deepEqual(sent.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(first.agent.sessions.length + second.agent.sessions.length, 1);
  });

  it('marks a turn as interrupted whose window is gone, and stores that with the next prompt', async () => {
    const { here, id, there } = await both();
    await here.send(draft('Long'));
    first.agent.last.say('Half');
    await until('the half', () => outline(there).includes('answer: Half'));
    // As if it had been killed: its lock is gone, and it has written nothing more.
    await rm(path.join(first.folder, id, 'lock'));
    await until('the end', () => outline(there).at(-1) === 'end: interrupted');
    assert.equal((await loggedTypes(id)).at(-1), 'event');
    await there.send(draft('Go on'));
    await second.store.search('needle');
    assert.deepEqual((await loggedTypes(id)).filter((type) => type === 'ended' || type === 'prompt').slice(-2), [
      'ended',
      'prompt',
    ]);
  });

  it('keeps the changes of each window to its title and draft', async () => {
    const { id, there } = await both();
    there.saveDraft(draft('half a thought'));
    await second.chats.rename(id, 'Renamed');
    await second.close();
    const again = await Window.open({ folder: first.folder, backends: new ChatBackends('one') });
    const chat = await again.chats.open(id);
    assert.deepEqual(chat.draft, draft('half a thought'));
    assert.equal(chat.view.title, 'Renamed');
    await again.close();
  });

  it('cannot be written if another window has deleted it', async () => {
    const { id, there } = await both();
    // It is seen while it is being deleted.
    await writeFile(path.join(first.folder, id, 'lock'), '');
    await until('the lock', () => there.view.status === 'readonly');
    await rm(path.join(first.folder, id, 'lock'));
    await first.chats.delete(id);
    await until('it is gone', () => there.view.status === 'idle');
    await assert.rejects(there.send(draft('Where?')), { code: 'notFound' });
  });

  it('stays deleted, whatever windows that only read it change', async () => {
    const { id, there } = await both();
    await first.chats.delete(id);
    there.saveDraft(draft('Where?'));
    await second.close();
    assert.deepEqual(await readdir(path.join(first.folder, 'heads')), []);
    assert.deepEqual(second.chats.rows, []);
    await assert.rejects(second.store.updateHead(id, { title: 'Back' }), { code: 'notFound' });
  });

  it('keeps its session in the agent if another window uses it', async () => {
    const id = await closed();
    await (await second.chats.create('one')).send(draft('The agent runs'));
    await until('the list', () => second.chats.rows.some((row) => row.id === id));
    const here = await first.chats.open(id);
    await here.send(draft('Work'));
    await assert.rejects(second.chats.delete(id), { code: 'readonly' });
    assert.ok(!second.agent.calls.includes('delete one-1'));
    first.agent.last.end('Done.');
    await first.chats.stop();
    await second.chats.delete(id);
    assert.ok(second.agent.calls.includes('delete one-1'));
    assert.ok(!(await readdir(first.folder)).includes(id));
  });

  it('keeps its queue if another window is about to send it', async () => {
    const window = await Window.open({ folder: first.folder, backends: new ChatBackends('one') });
    const { id } = await window.chats.create('one');
    const chat = await window.chats.open(id);
    await chat.send(draft('Go'));
    await chat.send(draft('Wait'));
    await window.close();
    const [here, there] = [await first.chats.open(id), await second.chats.open(id)];
    const waiting = there.view.queue[0];
    assert.equal(waiting?.text, 'Wait');
    await here.send(draft('First'));
    await assert.rejects(there.unqueue(waiting.id), { code: 'readonly' });
    assert.equal(there.view.queue.length, 1);
  });

  it('stops its agent if another window has taken it over, and is followed when reopened', async () => {
    const storeClock = new FakeClock();
    const window = await Window.open({ folder: first.folder, backends: new ChatBackends('one'), storeClock });
    const chat = await window.chats.create('one');
    await chat.send(draft('Long'));
    await window.store.search('written');
    const lock = path.join(first.folder, chat.id, 'lock');
    await writeFile(lock, JSON.stringify({ owner: 'x', pid: 1, host: 'elsewhere', startedAt: 1 }));
    const written = await loggedTypes(chat.id);
    storeClock.advance(20_000);
    await until('the loss', () => chat.view.status === 'readonly');
    assert.match(chat.view.statusText ?? '', /took over this conversation/);
    await until('the end of the turn', () => window.agent.last.calls.includes('dispose'));
    assert.deepEqual(window.agent.last.calls, ['cancel', 'dispose']);
    await assert.rejects(chat.stop(), { code: 'readonly' });
    const again = await window.chats.open(chat.id);
    assert.notEqual(again, chat);
    assert.equal(again.view.isInUse, true);
    await window.close();
    assert.deepEqual(await loggedTypes(chat.id), written);
  });

  async function loggedTypes(id: string): Promise<string[]> {
    const text = await readFile(path.join(first.folder, id, 'log.jsonl'), 'utf8');
    return [...text.matchAll(/^\{"type":"(\w+)"/gm)].map(([, type = '']) => type);
  }
});
