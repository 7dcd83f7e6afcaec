import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { chatMarks } from '../../../../src/chat/common/marks/chatMarks';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { until } from '../../../support/eventually';
import { answer, draft, outline, Window } from '../support/window';

describe('A conversation that another window runs', () => {
  let here: Window;
  let there: Window;
  /** The conversation in its own window, and in the other one. */
  let own: Chat;
  let followed: Chat;
  beforeEach(async () => {
    here = await Window.open({ backends: new ChatBackends('one') });
    there = await Window.open({ folder: here.folder, backends: new ChatBackends('one') });
    own = await here.chats.create('one');
    await own.send(draft('Go'));
    await until('the row', () => row()?.state === 'busy');
    followed = await there.chats.open(own.id);
    followed.setVisibility('seen');
    await until('it is followed', () => followed.view.isInUse === true);
  });
  afterEach(async () => {
    await there.close();
    await here.remove();
  });

  const row = (): ConversationRow | undefined => there.chats.rows.find(({ id }) => id === own.id);
  const ask = (id: string, prompt = 'May I?'): void =>
    here.agent.last.tell(event('approval:required', { approval_id: id, prompt, options: ['Yes', 'No'] }));
  const askToRun = (id: string, command: string): void => {
    const context = { command, kind: 'execute', folder: '/work/api' };
    const options = {
      options: ['Yes', 'No', 'Always'],
      option_kinds: ['allow_once' as const, 'reject_once' as const, 'allow_always' as const],
    };
    here.agent.last.tell(
      event('approval:required', { approval_id: id, prompt: `Run ${command}`, context, ...options }),
    );
  };
  const approved = (): string[] => here.agent.last.calls.filter((call) => call.startsWith('approve'));

  async function asked(prompt?: string): Promise<void> {
    ask('a', prompt);
    await until('the question there', () => row()?.state === 'waiting' && followed.view.approvals.length > 0);
  }

  it('has the row of what it does there, with why it waits in words', async () => {
    assert.equal(row()?.isInOtherWindow, true);
    here.agent.last.tell(
      event('tool:pre', { tool_name: 'Bash', tool_call_id: 'c', operation: 'execute', input: {}, title: 'npm test' }),
    );
    await until('what it does', () => row()?.activity?.title === 'npm test');
    assert.ok((row()?.turnStartedAt ?? Infinity) <= Date.now());
    await asked('Run\nrm -rf \u202e/');
    const { since, ...need } = row()?.need ?? {};
    assert.deepEqual(need, { kind: 'approval', text: 'Run rm -rf [U+202E]/' });
    assert.ok(since !== undefined && since <= Date.now());
    await answer(own, 'a', 'No');
    assert.ok(!outline(own).some((line) => line.includes('another window')));
    await until('it works again', () => row()?.state === 'busy' && row()?.need === undefined);
    here.agent.last.end('Done.');
    // It was seen here.
    await until('the end', () => row()?.state === 'idle' && row()?.isInOtherWindow === undefined);
  });

  it('is not marked in its own window when its end was seen here, and has the title that it was given here', async () => {
    const ownRow = (): ConversationRow | undefined => here.chats.rows.find(({ id }) => id === own.id);
    followed.setVisibility('shown');
    here.agent.last.end('Done.');
    await until('the mark', () => ownRow()?.state === 'unread' && row()?.state === 'unread');
    followed.setVisibility('seen');
    await there.chats.rename(own.id, 'Renamed');
    await until('it is seen', () => ownRow()?.state === 'idle' && ownRow()?.title === 'Renamed');
    assert.equal(own.view.title, 'Renamed');
  });

  it('is answered there, once, from either window', async () => {
    await asked();
    const shown = followed.view.approvals[0]?.shown;
    await answer(followed, 'a', 'Yes', draft('Because.'));
    assert.deepEqual(approved(), ['approve a Yes']);
    assert.ok(outline(own).includes('notice: Answered in another window: Yes'));
    await until('the answer here', () => followed.view.approvals.length === 0);
    await assert.rejects(followed.answerApproval({ approvalId: 'a', option: 'No', shown }), /already answered/);
    assert.deepEqual(
      own.view.queue.map(({ text }) => text),
      ['Because.'],
    );
    assert.deepEqual(approved(), ['approve a Yes']);
  });

  it('is answered from its row in either window, without being opened, if it still asks for that', async () => {
    const third = await Window.open({ folder: here.folder, backends: new ChatBackends('one') });
    for (const window of [there, here, third]) {
      const id = `in ${[there, here, third].indexOf(window)}`;
      const rowThere = (): ConversationRow | undefined => window.chats.rows.find((one) => one.id === own.id);
      askToRun(id, 'npm test');
      await until('the row', () => rowThere()?.need?.answer?.approvalId === id);
      const { allow = '', approvalId = '', shown } = rowThere()?.need?.answer ?? {};
      assert.equal(rowThere()?.need?.text, 'Wants to run in api: npm test');
      const before = approved().length;
      const given = { approvalId, option: allow, shown };
      await assert.rejects(window.chats.answerFromRow(own.id, { ...given, shown: 'other' }), {
        code: 'changedMeanwhile',
      });
      await assert.rejects(window.chats.answerFromRow(own.id, { ...given, shown: undefined }), {
        code: 'changedMeanwhile',
      });
      await assert.rejects(window.chats.answerFromRow(own.id, { ...given, option: 'Always' }), { code: 'notFound' });
      assert.equal(approved().length, before);
      await window.chats.answerFromRow(own.id, given);
      assert.deepEqual(approved().slice(before), [`approve ${id} Yes`]);
      await assert.rejects(window.chats.answerFromRow(own.id, given), /already answered/, 'twice');
    }
    assert.deepEqual(third.chats.openChats, []);
    await third.close();
    await assert.rejects(there.chats.answerFromRow('none', { approvalId: 'a', option: 'Yes', shown: 'x' }), {
      code: 'approvalResolved',
    });
  });

  it('is not answered by its own page with what that has drawn of an earlier request', async () => {
    askToRun('a', 'ls');
    await until('the request', () => own.view.approvals.length > 0);
    const { shown } = own.view.approvals[0] ?? {};
    here.agent.last.tell(event('approval:denied', { approval_id: 'a', decision: '', reason: 'request_changed' }));
    askToRun('a', 'rm -rf /');
    await until('the other request', () => own.view.approvals[0]?.prompt === 'Run rm -rf /');
    const answering = own.answerApproval({ approvalId: 'a', option: 'Yes', shown });
    await assert.rejects(answering, { code: 'changedMeanwhile' });
    assert.deepEqual(approved(), []);
    await answer(own, 'a', 'No');
  });

  it('is answered once if the user answers in both windows at the same time', async () => {
    await asked();
    const answers = await Promise.allSettled([answer(followed, 'a', 'Yes'), answer(own, 'a', 'No')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(approved().length, 1);
  });

  it('is answered once, in whichever of three windows the user is quickest, each time', async () => {
    const third = await Window.open({ folder: here.folder, backends: new ChatBackends('one') });
    const alsoFollowed = await third.chats.open(own.id);
    alsoFollowed.setVisibility('seen');
    const all = [own, followed, alsoFollowed];
    for (let round = 0; round < 6; round++) {
      const id = `a${round}`;
      ask(id, `Run ${round}`);
      await until('the question everywhere', () => all.every(({ view }) => view.approvals[0]?.id === id));
      // Each time, others answer, and begin in another order.
      const answering = all.filter((_, index) => (round + 1) & (1 << index) || round === 5);
      const order = round % 2 === 0 ? answering : answering.toReversed();
      const answers = await Promise.allSettled(order.map((chat) => answer(chat, id, 'Yes')));
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1, `round ${round}`);
      assert.equal(approved().length, round + 1);
      await until('the answer everywhere', () => all.every(({ view }) => view.approvals.length === 0));
    }
    await third.close();
  });

  it('is not answered if it asks for something else by now, or what cannot be told apart', async () => {
    await asked('Run ls');
    followed.setVisibility('hidden');
    // What is followed no more still shows the request that it has read last.
    here.agent.last.tell(event('approval:denied', { approval_id: 'a', decision: '', reason: 'request_changed' }));
    ask('a', 'Run rm -rf /');
    await until('the other request', () => row()?.need?.text === 'Run rm -rf /');
    assert.equal(followed.view.approvals[0]?.prompt, 'Run ls');
    await assert.rejects(answer(followed, 'a', 'Yes'), /not the one that was shown/);
    assert.deepEqual(approved(), []);
  });

  it('is shown there if the user wants that', async () => {
    const shown: string[] = [];
    here.chats.onDidRequestShow((id) => shown.push(id));
    await there.chats.showInItsWindow(own.id);
    assert.deepEqual(shown, [own.id]);
    assert.equal(followed.view.runsInOtherWindow, true);
  });

  it('is stopped from its row without being opened, and only while it works', async () => {
    const third = await Window.open({ folder: here.folder, backends: new ChatBackends('one') });
    await until('the row', () => third.chats.rows.some(({ isInOtherWindow }) => isInOtherWindow));
    await third.chats.stopTurn(own.id);
    assert.deepEqual(here.agent.last.calls, ['cancel']);
    assert.deepEqual(third.chats.openChats, []);
    await until('it is idle', () => third.chats.rows[0]?.state === 'idle');
    await assert.rejects(third.chats.stopTurn(own.id), { code: 'readonly' });
    await third.close();
  });

  it('is stopped there', async () => {
    await followed.stop();
    assert.deepEqual(here.agent.last.calls, ['cancel']);
    await until('it is idle', () => row()?.state === 'idle');
  });

  it('is told once, by the first window that claims it', async () => {
    await asked();
    assert.deepEqual(chatMarks(there.chats.rows).calling, [own.id]);
    const event = `${own.id} needsInput`;
    const claims = await Promise.all([here, there].map(({ chats }) => chats.claimNotice(event)));
    assert.equal(claims.filter(Boolean).length, 1);
    assert.equal(await there.chats.claimNotice(`${event} again`), true);
  });

  it('looks alive no longer than its window', async () => {
    await asked();
    const windows = path.join(here.folder, 'windows');
    for (const name of await readdir(windows)) {
      if (!name.endsWith('.lock')) continue;
      // As if its process had ended: nobody renews the lock, and its process does not exist.
      const lock = path.join(windows, name);
      await writeFile(lock, (await readFile(lock, 'utf8')).replace(`"pid":${process.pid}`, '"pid":999999999'));
    }
    await until('the row is stored again', () => row()?.isInOtherWindow === undefined);
    assert.deepEqual([row()?.need, row()?.state], [undefined, 'interrupted']);
    assert.deepEqual(followed.view.approvals, []);
    await assert.rejects(answer(followed, 'a', 'Yes'), { code: 'approvalResolved' });
  });

  it('does not obey who cannot read its token', async () => {
    await asked();
    const windows = path.join(here.folder, 'windows');
    const mailbox = (await readdir(windows)).find((name) => name.endsWith('.mailbox')) ?? '';
    const letter = { conversation: own.id, request: { kind: 'stop' }, token: 'guessed', at: Date.now() };
    await writeFile(path.join(windows, mailbox, 'x.request.json'), JSON.stringify(letter));
    await until('the reply', async () => (await readdir(path.join(windows, mailbox))).includes('x.reply.json'));
    const reply = await readFile(path.join(windows, mailbox, 'x.reply.json'), 'utf8');
    assert.match(reply, /did not accept/);
    assert.deepEqual(here.agent.last.calls, []);
  });

  it('may say what only a later version understands', async () => {
    const windows = path.join(here.folder, 'windows');
    const name = (await readdir(windows)).find((one) => one.endsWith('.json')) ?? '';
    const { token } = JSON.parse(await readFile(path.join(windows, name), 'utf8')) as { token: string };
    const later = { state: 'waiting', turn: 1, need: { kind: 'riddle', text: '' }, activity: { kind: 'dreaming' } };
    const conversations = { [own.id]: later, other: { state: 'dreaming' } };
    await writeFile(path.join(windows, name), JSON.stringify({ token, conversations }));
    await until('the row', () => row()?.state === 'waiting');
    assert.equal(row()?.need, undefined);
  });

  it('does not flash as interrupted when its turn ends', async () => {
    const states = new Set<string | undefined>();
    there.chats.onDidChange(() => states.add(row()?.state));
    here.agent.last.end('Done.');
    await until('the end', () => row()?.state === 'idle' && row()?.isInOtherWindow === undefined);
    assert.ok(!states.has('interrupted'), [...states].join());
  });

  it('is not stopped by a request about its turn before', async () => {
    const { windows } = there;
    await assert.rejects(windows.ask(own.id, { kind: 'stop', turn: 0 }), /already ended/);
    assert.deepEqual(here.agent.last.calls, []);
  });

  it('takes requests again after its files were removed', async () => {
    const windows = path.join(here.folder, 'windows');
    for (const name of await readdir(windows)) await rm(path.join(windows, name), { recursive: true });
    here.agent.last.tell(
      event('tool:pre', { call_id: 'c', tool_name: 'run', operation: 'run', kind: 'execute', input: {} }),
    );
    await asked();
    await answer(followed, 'a', 'Yes');
    assert.deepEqual(approved(), ['approve a Yes']);
  });

  it('is left alone by a request that comes late', async () => {
    const windows = path.join(here.folder, 'windows');
    const state = (await readdir(windows)).find((name) => name.endsWith('.json')) ?? '';
    const { token } = JSON.parse(await readFile(path.join(windows, state), 'utf8')) as { token: string };
    const mailbox = path.join(windows, state.replace('.json', '.mailbox'));
    await mkdir(mailbox, { recursive: true });
    const letter = { conversation: own.id, request: { kind: 'stop' }, token, at: Date.now() - 60_000 };
    await writeFile(path.join(mailbox, 'x.request.json'), JSON.stringify(letter));
    await until('the reply', async () => (await readdir(mailbox)).includes('x.reply.json'));
    assert.deepEqual(here.agent.last.calls, []);
  });

  it('leaves nothing behind when its window is closed', async () => {
    await here.close();
    await until('the row is stored', () => row()?.isInOtherWindow === undefined && row()?.state === 'interrupted');
    assert.deepEqual(await readdir(path.join(here.folder, 'windows')), []);
    await rm(here.folder, { recursive: true, force: true });
  });
});
