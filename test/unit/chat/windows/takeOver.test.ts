import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { ChatBackends } from '../support/chatBackend';
import { until } from '../../../support/eventually';
import { draft, outline, Window } from '../support/window';

const factor = 4;
/** A clock on which time passes faster, so that nobody waits for long. */
const fastClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now() * factor,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs / factor, callback),
};

/** What a page does with a conversation that it shows. */
class Page {
  private constructor(
    private readonly window: Window,
    public chat: Chat,
  ) {
    this.show(chat);
  }

  static async open(window: Window, id: string): Promise<Page> {
    return new Page(window, await window.chats.open(id));
  }

  private show(chat: Chat): void {
    this.chat = chat;
    const kept = chat.keepOpen('page');
    chat.setVisibility('shown');
    const listener = chat.onDidChange(() => {
      if (!chat.isOutdated) return;
      listener.dispose();
      kept.dispose();
      void this.window.chats.open(chat.id).then((again) => this.show(again));
    });
  }
}

describe('A conversation with which another window does nothing', () => {
  let here: Window;
  let there: Window;
  let own: Page;
  let other: Page;
  const open = (folder?: string): Promise<Window> =>
    Window.open({
      ...(folder === undefined ? {} : { folder }),
      backends: new ChatBackends('one'),
      clock: fastClock,
      storeClock: fastClock,
    });
  beforeEach(async () => {
    here = await open();
    there = await open(here.folder);
    const chat = await here.chats.create('one');
    own = await Page.open(here, chat.id);
    await chat.send(draft('First'));
    other = await Page.open(there, chat.id);
    await until('it is followed', () => other.chat.view.runsInOtherWindow === true);
    here.agent.last.end('One.');
    await until('it is idle there', () => other.chat.view.status === 'idle' && outline(other.chat).length === 3);
  });
  afterEach(async () => {
    await there.close();
    await here.remove();
  });

  const log = async (): Promise<string> => await readFile(path.join(here.folder, own.chat.id, 'log.jsonl'), 'utf8');
  const lock = 'lock';

  it('is continued here with a prompt, and followed there', async () => {
    assert.equal(other.chat.view.isInUse, true);
    await other.chat.send(draft('Second'));
    assert.deepEqual(there.agent.calls, ['load one-1']);
    assert.ok(here.agent.last.calls.includes('dispose'));
    await until('it is followed there', () => outline(own.chat).includes('prompt: Second'));
    await until('what it does', () => own.chat.view.runsInOtherWindow === true);
    there.agent.last.end('Two.');
    await until('the end there', () => outline(own.chat).includes('answer: Two.'));
    assert.deepEqual(outline(own.chat), outline(other.chat));
  });

  it('goes to and fro between two windows without a loss', async () => {
    const expected = ['prompt: First', 'answer: One.', 'end: completed'];
    for (let turn = 2; turn < 6; turn++) {
      const [page, window, reader] = turn % 2 === 0 ? [other, there, own] : [own, here, other];
      await until('it is idle', () => page.chat.view.status === 'idle' && page.chat.view.runsInOtherWindow !== true);
      await page.chat.send(draft(`Prompt ${turn}`));
      window.agent.last.end(`Answer ${turn}.`);
      expected.push(`prompt: Prompt ${turn}`, `answer: Answer ${turn}.`, 'end: completed');
      await until('both have it', () => [page, reader].every(({ chat }) => outline(chat).length === expected.length));
      assert.deepEqual(outline(page.chat), expected);
      assert.deepEqual(outline(reader.chat), expected);
    }
    const prompts = [...(await log()).matchAll(/"type":"prompt".*?"text":"(Prompt \d)"/g)].map(([, text]) => text);
    assert.deepEqual(
      prompts,
      [2, 3, 4, 5].map((turn) => `Prompt ${turn}`),
    );
  });

  it('is taken by one of two windows that want it at the same time', async () => {
    const third = await open(here.folder);
    const alsoOther = await Page.open(third, own.chat.id);
    await until('it is idle for the third', () => alsoOther.chat.view.status === 'idle');
    const sent = await Promise.allSettled([other.chat.send(draft('A')), alsoOther.chat.send(draft('B'))]);
    assert.deepEqual(sent.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const refused = sent[0].status === 'rejected' ? other : alsoOther;
    assert.match(refused.chat.draft.text, /^[AB]$/, 'its text stays');
    assert.equal([...(await log()).matchAll(/"type":"prompt"/g)].length, 2);
    await third.close();
  });

  it('is given to nobody while it works again, and the typed text stays', async () => {
    await own.chat.send(draft('Second'));
    await assert.rejects(other.chat.send(draft('Mine')), { code: 'readonly' });
    assert.equal(other.chat.draft.text, 'Mine');
    assert.equal(there.agent.sessions.length, 0);
    here.agent.last.end('Two.');
  });

  it('is given away only when the user has stopped typing there', async () => {
    const typing = setInterval(() => own.chat.saveDraft(draft(`typed at ${Date.now()}`)), 20);
    try {
      await assert.rejects(other.chat.send(draft('Mine')), /You use this conversation in another window/);
    } finally {
      clearInterval(typing);
    }
    await other.chat.send(draft('Mine'));
    await until('it is followed there', () => outline(own.chat).includes('prompt: Mine'));
    assert.match(own.chat.draft.text, /^typed at/);
  });

  it('is not given away with queued prompts or while something changes it', async () => {
    const work = own.chat.keepOpen();
    await assert.rejects(other.chat.send(draft('Mine')), /You use this conversation in another window/);
    work.dispose();
    await own.chat.send(draft('Second'));
    await own.chat.send(draft('Queued'));
    await own.chat.stop();
    await until('it is read-only', () => other.chat.view.status === 'readonly' && own.chat.view.queue.length === 1);
    await assert.rejects(other.chat.send(draft('Mine')), { code: 'readonly' });
  });

  it('is claimed by whatever needs that', async () => {
    await other.chat.keepChanges();
    await until('it is followed there', () => own.chat.view.isInUse === true && own.chat.view.status === 'idle');
    await own.chat.keepChanges();
    await until('it is followed here', () => other.chat.view.isInUse === true);
  });

  it('is given away by a window that was killed without a question', async () => {
    const file = path.join(here.folder, own.chat.id, lock);
    await writeFile(file, (await readFile(file, 'utf8')).replace(`"pid":${process.pid}`, '"pid":999999999'));
    await other.chat.send(draft('Mine'));
    const mailboxes = (await readdir(path.join(here.folder, 'windows'))).filter((name) => name.endsWith('.mailbox'));
    assert.ok(mailboxes.length > 0);
    assert.deepEqual(there.agent.calls, ['load one-1']);
  });

  it('keeps its text here if its window does not answer', async () => {
    // As if that window hung: nobody takes what is in its mailbox.
    here.windows.dispose();
    await assert.rejects(other.chat.send(draft('Mine')), /does not respond|can’t be reached|Read-only here/);
    assert.equal(other.chat.draft.text, 'Mine');
    assert.ok(!(await log()).includes('Mine'));
  });
});
