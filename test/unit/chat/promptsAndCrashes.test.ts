import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { nullLogger } from '../../../src/base/common/log';
import { NodeFiles } from '../../../src/base/node/filePort';
import { systemClock } from '../../../src/base/node/systemClock';
import type { Draft } from '../../../src/chat/common/chatView';
import { newDraftName, readStoredDraft, restoreNewDraft } from '../../../src/chat/common/page/newDraft';
import { WindowDrafts } from '../../../src/chat/node/places/windowDrafts';
import { MemoryMemento } from '../../fake/memoryMemento';
import { settled, spoken, Window } from './support/window';

/** Writes nothing any more once the window is killed. */
class MortalFiles extends NodeFiles {
  writesLeft = Infinity;

  private write<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.writesLeft-- > 0) return run();
    return Promise.reject(Object.assign(new Error('killed'), { code: 'EIO' }));
  }
  override replace(file: string, text: string): Promise<void> {
    return this.write(() => super.replace(file, text));
  }
  override createNew(file: string, text: string): Promise<boolean> {
    return this.write(() => super.createNew(file, text));
  }
  override writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    return this.write(() => super.writeAtAndTruncate(file, offset, bytes));
  }
  override moveIfExists(from: string, to: string): Promise<boolean> {
    return this.write(() => super.moveIfExists(from, to));
  }
}

const text = 'the only prompt';
const prompt: Draft = { id: 'prompt-1', text, attachments: [] };
const throwIt = (error: unknown): never => {
  throw error;
};

describe('A prompt that is sent while the window is killed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'prompts-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const loadDrafts = (files: NodeFiles, folders = ['/ws'], state = new MemoryMemento()): Promise<WindowDrafts> =>
    WindowDrafts.load({
      folder: path.join(folder, 'drafts'),
      files,
      clock: systemClock,
      log: nullLogger,
      workspace: { file: undefined, folders },
      workspaceState: state,
      newId: () => 'window',
    });

  /** Opens the window again, as the page does that still knows what it has sent without an answer. */
  async function countAfterRestart(unconfirmed: readonly Draft[], sessionId: string | undefined): Promise<number> {
    const window = await Window.open({ folder });
    const newDraft = restoreNewDraft(await loadDrafts(new NodeFiles()), throwIt);
    await newDraft.dropIfSent((id) => window.chats.isStartedBy(id));
    for (const draft of unconfirmed) {
      const chat = sessionId === undefined ? undefined : await window.chats.open(sessionId);
      if (chat) chat.restoreLost(draft);
      else if (!(await window.chats.isStartedBy(draft.id ?? ''))) newDraft.restoreLost(draft);
    }
    const found = [newDraft.value.text];
    for (const { id } of window.store.heads) {
      const chat = await window.chats.open(id);
      found.push(chat.draft.text, ...chat.sentPromptTexts, ...chat.view.queue.map((queued) => queued.text));
    }
    await window.close();
    return found.join('\n').split(text).length - 1;
  }

  it('is in the box or in the conversation, never in both and never lost, whichever write was the last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(12),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (writes, isFirst, isAccepted, arrives) => {
          await rm(folder, { recursive: true, force: true, maxRetries: 5 });
          const files = new MortalFiles();
          const window = await Window.open({ folder, files });
          const newDraft = restoreNewDraft(await loadDrafts(files), () => undefined);
          const before = isFirst ? undefined : await spoken(window);
          const page = {};
          const written = (revision: number) => ({ page, revision });
          // What the host has is a little older than what is sent.
          const typed = { ...prompt, text: text.slice(0, -3) };
          if (before) before.saveDraft(typed, written(1));
          else newDraft.save(typed, written(1));
          await window.store.updateHead(before?.id ?? 'none', {}).catch(() => undefined);
          let unconfirmed: Draft[] = [prompt];
          files.writesLeft = writes;
          if (arrives) {
            if (!isAccepted) window.agent.beforeSession = () => new Promise(() => undefined);
            const key = {};
            const send = async (): Promise<void> => {
              if (!before) newDraft.beginSend(key, prompt, written(2));
              const chat = before ?? (await window.chats.create('one', { startedBy: prompt.id }));
              if (!before) newDraft.moveToChat(chat, page);
              await chat.send(prompt, [], written(2));
              newDraft.confirmSent(key);
              if (isAccepted) unconfirmed = [];
            };
            void send().catch(() => undefined);
            await settled();
          }
          // A disk that fails is told to the user, and the page has its answer only from a window that lives.
          if (files.writesLeft < 0) unconfirmed = [prompt];
          files.writesLeft = 0;
          await window.close();
          assert.equal(await countAfterRestart(unconfirmed, before?.id), 1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is not sent twice when the page sends it again', async () => {
    const window = await Window.open({ folder });
    const chat = await window.chats.create('one', { startedBy: prompt.id });
    await chat.send(prompt);
    await chat.send(prompt);
    assert.deepEqual(chat.sentPromptTexts, [text]);
    assert.equal(chat.view.queue.length, 0);
    await window.close();
  });

  describe('The draft of the next conversation', () => {
    it('keeps its images', async () => {
      const image = { kind: 'image' as const, id: 'i', title: 'a.png', image: { data: 'AAAA', mimeType: 'image/png' } };
      const drafts = await loadDrafts(new NodeFiles());
      restoreNewDraft(drafts, throwIt).save({ text: '', attachments: [image] });
      await drafts.close();
      assert.deepEqual(restoreNewDraft(await loadDrafts(new NodeFiles()), throwIt).value.attachments, [image]);
    });

    it('follows the window into the folder that is opened in it, once', async () => {
      const empty = await loadDrafts(new NodeFiles(), []);
      restoreNewDraft(empty, throwIt).save(prompt);
      await empty.close();
      const opened = await loadDrafts(new NodeFiles(), ['/ws']);
      assert.equal(restoreNewDraft(opened, throwIt).value.text, text);
      assert.equal(restoreNewDraft(await loadDrafts(new NodeFiles(), ['/other']), throwIt).value.text, '');
      await opened.close();
      // A folder is added to it.
      const added = await loadDrafts(new NodeFiles(), ['/ws', '/other']);
      assert.equal(restoreNewDraft(added, throwIt).value.text, text);
    });

    it('is added to the one of a folder that was opened before, also when the window is killed meanwhile', async () => {
      for (const writes of [0, 1, 2, Infinity]) {
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
        const before = await loadDrafts(new NodeFiles());
        restoreNewDraft(before, throwIt).save({ text: 'long ago', attachments: [] });
        await before.close();
        const empty = await loadDrafts(new NodeFiles(), []);
        restoreNewDraft(empty, throwIt).save(prompt);
        await empty.close();
        const files = new MortalFiles();
        files.writesLeft = writes;
        await loadDrafts(files);
        const opened = restoreNewDraft(await loadDrafts(new NodeFiles()), throwIt);
        assert.equal(opened.value.text, `long ago\n${text}`);
      }
    });

    it('is added to the one that the version before has stored', async () => {
      const empty = await loadDrafts(new NodeFiles(), []);
      restoreNewDraft(empty, throwIt).save(prompt);
      await empty.close();
      const state = new MemoryMemento();
      await state.update('chat.newDraft', { text: 'long ago', attachments: [] });
      const opened = restoreNewDraft(await loadDrafts(new NodeFiles(), ['/ws'], state), throwIt);
      assert.equal(opened.value.text, `long ago\n${text}`);
    });

    it('follows a window to which a folder is added while it runs', async () => {
      const there = await loadDrafts(new NodeFiles(), ['/one', '/two', '/three']);
      restoreNewDraft(there, throwIt).save({ text: 'long ago', attachments: [] });
      await there.close();
      const drafts = await loadDrafts(new NodeFiles(), ['/elsewhere', '/two-of-it']);
      const draft = restoreNewDraft(drafts, throwIt);
      draft.save({ text: 'before', attachments: [] });
      await Promise.all([
        drafts.moveWindow({ file: undefined, folders: ['/one'] }),
        drafts.moveWindow({ file: undefined, folders: ['/one', '/two', '/three'] }),
      ]);
      draft.save(prompt);
      await drafts.close();
      const again = restoreNewDraft(await loadDrafts(new NodeFiles(), ['/one', '/two', '/three']), throwIt);
      assert.equal(again.value.text, `${text}\nlong ago`);
    });

    it('is there each time though VS Code tells the folders late, with what was typed before that', async () => {
      const ws = { file: undefined, folders: ['/ws'] };
      const lateDrafts = async (): Promise<WindowDrafts> => {
        const drafts = await loadDrafts(new NodeFiles(), [], state);
        await drafts.readAgain(ws);
        return drafts;
      };
      const state = new MemoryMemento();
      const early = await loadDrafts(new NodeFiles(), [], state);
      restoreNewDraft(early, throwIt).save({ text: 'early', attachments: [] });
      await early.close();
      for (const [shown, typed] of [
        ['early', 'first'],
        ['first', 'second'],
        ['second', 'third'],
      ] as const) {
        const drafts = await lateDrafts();
        const draft = restoreNewDraft(drafts, throwIt);
        assert.equal(draft.value.text, shown);
        draft.save({ text: typed, attachments: [] });
        await drafts.close();
      }
    });

    it('is not replaced by another one that waits for the next window', async () => {
      const ws = { file: undefined, folders: ['/ws'] };
      for (const typed of ['one', 'two', 'three']) {
        const drafts = await loadDrafts(new NodeFiles(), [`/${typed}`]);
        const draft = restoreNewDraft(drafts, throwIt);
        draft.save({ text: typed, attachments: [] });
        await drafts.moveWindow(ws);
        await drafts.close();
      }
      const opened = restoreNewDraft(await loadDrafts(new NodeFiles(), ['/ws']), throwIt);
      assert.deepEqual(opened.value.text.split('\n').toSorted(), ['one', 'three', 'two']);
    });

    it('comes with its folder that the user has located, also as one of several, before what was typed there', async () => {
      const typeIn = async (folders: string[], typed: string): Promise<void> => {
        const drafts = await loadDrafts(new NodeFiles(), folders);
        restoreNewDraft(drafts, throwIt).save({ text: typed, attachments: [] });
        await drafts.close();
      };
      await typeIn(['/old/deep'], 'alone');
      await typeIn(['/old/inner', '/two'], 'in two');
      await typeIn(['/elsewhere'], 'elsewhere');
      const drafts = await loadDrafts(new NodeFiles(), ['/new/inner', '/new/deep']);
      const draft = restoreNewDraft(drafts, throwIt);
      draft.save({ text: 'typed since', attachments: [] });
      const take = (from: string, to: string): Promise<void> =>
        drafts.takeMoved({ from, to }, (left) => {
          const stored = readStoredDraft(left[newDraftName]);
          if (stored) draft.restoreWithdrawn(stored);
          return Promise.resolve();
        });
      await take('/other', '/new');
      assert.equal(draft.value.text, 'typed since');
      await take('/old', '/new');
      assert.deepEqual(draft.value.text.split('\n').toSorted(), ['alone', 'in two', 'typed since']);
      assert.equal(draft.value.text.split('\n').at(-1), 'typed since');
      await take('/old', '/new');
      await drafts.close();
      const again = restoreNewDraft(await loadDrafts(new NodeFiles(), ['/new/inner', '/new/deep']), throwIt);
      assert.equal(again.value.text, draft.value.text);
    });

    it('is taken over from the storage of the version before', async () => {
      const state = new MemoryMemento();
      await state.update('chat.newDraft', { text, attachments: [] });
      const drafts = await loadDrafts(new NodeFiles(), ['/ws'], state);
      const draft = restoreNewDraft(drafts, throwIt);
      assert.equal(draft.value.text, text);
      draft.save({ text: '', attachments: [] });
      await drafts.close();
      assert.equal(restoreNewDraft(await loadDrafts(new NodeFiles(), ['/ws'], state), throwIt).value.text, '');
    });
  });
});
