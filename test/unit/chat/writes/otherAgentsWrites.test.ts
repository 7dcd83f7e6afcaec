import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import type { ToldWrite } from '../../../../src/chat/common/writes/agentWrites';
import { AgentWritesFolder } from '../../../../src/chat/node/writes/agentWritesFolder';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { TestWorkspace } from '../../changes/support/workspace';
import type { AnnouncedWrite } from '../../../../src/chat/common/writes/agentWrites';
import { ConversationClaims, FileTextClaims } from '../../../../src/chat/common/writes/fileTextClaims';
import { SharedWrites } from '../../../../src/chat/common/writes/sharedWrites';
import type { FileText } from '../../../../src/chat/common/changes/fileTexts';
import { EditorError } from '../../../../src/editor/common/editorPort';
import { changeLines, DiskWindow } from '../support/diskWindow';

/** In one line: what another window has told. */
const describeTold = (told: ToldWrite): string => {
  if (told.kind === 'made' && told.id === undefined) return String(told.write.text);
  const id = told.id?.replace(/\.jsonl/, '') ?? '';
  const write = told.kind === 'lost' ? told.left : told.kind === 'withdrawn' ? undefined : told.write;
  return `${told.kind} ${id}${write ? `: ${write.text}` : ''}`;
};

const binary = (byte: number): Buffer => Buffer.from([0, 255, byte]);

describe('what the agents of other windows write', () => {
  let workspace: TestWorkspace;
  let clock: FakeClock;
  beforeEach(() => {
    workspace = new TestWorkspace();
    clock = new FakeClock();
    clock.setForward(Date.now());
  });
  afterEach(() => workspace.dispose());

  const folder = (): string => path.join(workspace.root, 'writes');
  const ended = new Set<number>();
  const open = (windowId: string, pid = 1, isAlive = (one: number) => !ended.has(one)): AgentWritesFolder =>
    new AgentWritesFolder({ folder: folder(), windowId, clock, log: nullLogger, pid, isAlive });
  const read = async (window: AgentWritesFolder): Promise<string[]> => {
    const texts: string[] = [];
    await window.readOtherWindows((told) => texts.push(describeTold(told)));
    return texts;
  };
  const add = async (window: AgentWritesFolder, text: string): Promise<void> => {
    clock.advance(1);
    window.add({ conversation: 'other', path: '/ws/a.txt', text });
    // Waits until it is on disk.
    await window.since(Infinity);
  };

  it('is read once, oldest first, and only from when this window has begun', async () => {
    const [own, last, first] = [open('m'), open('a'), open('z')];
    await add(first, 'before');
    assert.deepEqual(await read(own), []);
    await add(first, '1');
    await add(last, '2');
    await add(own, 'own');
    await add(first, '3');
    assert.deepEqual(await read(own), ['1', '2', '3']);
    assert.deepEqual(await read(own), []);
    await add(last, '4');
    assert.deepEqual(await read(own), ['4']);
    const all = await own.since(0);
    assert.deepEqual(
      all.map(({ text }) => text),
      ['before', '1', '2', 'own', '3', '4'],
    );
    assert.deepEqual(
      (await own.since(all[4]?.at ?? 0)).map(({ text }) => text),
      ['3', '4'],
    );
  });

  it('is read from whole lines, and from the beginning of a file that was started again', async () => {
    mkdirSync(folder());
    const own = open('own');
    assert.deepEqual(await read(own), []);
    const file = path.join(folder(), 'other.jsonl');
    const line = (text: string): string =>
      `${JSON.stringify({ at: clock.now(), conversation: 'other', path: '/ws/ä.txt', text })}\n`;
    appendFileSync(file, `${line('1')}no JSON\n${line('2').slice(0, 20)}`);
    assert.deepEqual(await read(own), ['1']);
    appendFileSync(file, line('2').slice(20));
    assert.deepEqual(await read(own), ['2']);
    truncateSync(file);
    appendFileSync(file, line('3'));
    assert.deepEqual(await read(own), ['3']);
    rmSync(file);
    assert.deepEqual(await read(own), []);
  });

  it('is understood if a window of an earlier version tells that it has deleted a file without text', async () => {
    mkdirSync(folder());
    const own = open('own');
    assert.deepEqual(await read(own), []);
    const line = { at: clock.now(), conversation: 'other', path: '/ws/a.dat', text: 'state none' };
    appendFileSync(path.join(folder(), 'other.jsonl'), `${JSON.stringify(line)}\n`);
    assert.deepEqual(await read(own), ['null']);
  });

  it('is read once for all who ask before that begins, and once more for all who ask while it runs', async () => {
    const other = open('other');
    await other.announce([{ conversation: 'other', path: '/ws/a.txt', text: 'begun' }]);
    let reads = 0;
    const told: string[][] = [];
    const late: Promise<void>[] = [];
    const ask = async (): Promise<void> => void told.push(await read(own));
    const own = open('own', 1, () => {
      // Each read asks once whether the other window is still there, when it has read the files.
      if (++reads > 1) return true;
      const line = { at: clock.now(), conversation: 'other', path: '/ws/a.txt', text: 'meanwhile' };
      appendFileSync(path.join(folder(), 'other.jsonl'), `${JSON.stringify(line)}\n`);
      for (let asked = 0; asked < 1_000; asked++) late.push(ask());
      return true;
    });
    await Promise.all(Array.from({ length: 1_000 }, ask));
    assert.deepEqual([reads, told.flat()], [1, ['announced other 1: begun']]);
    await Promise.all(late);
    assert.deepEqual([reads, told.flat().slice(1)], [2, ['meanwhile']]);
  });

  it('is told before it is written, and then what became of it', async () => {
    const [own, other] = [open('own'), open('other', 7)];
    const begun = await other.announce([{ conversation: 'other', path: '/ws/a.txt', text: 'begun' }]);
    assert.deepEqual(await read(own), ['announced other 1: begun']);
    const writes = ['made', 'formatted', 'failed', 'lost', 'perhaps'].map((text) => ({
      conversation: 'other',
      path: '/ws/a.txt',
      text,
    }));
    const [made, formatted, failed, , perhaps] = await other.announce(writes);
    assert.deepEqual(
      await read(own),
      writes.map(({ text }, at) => `announced other ${at + 2}: ${text}`),
    );
    begun[0]?.end({ conversation: 'other', path: '/ws/a.txt', text: 'begun' });
    made?.end({ conversation: 'other', path: '/ws/a.txt', text: 'made' });
    formatted?.end({ conversation: 'other', path: '/ws/a.txt', text: 'other' });
    failed?.end('nothing');
    const left = { conversation: 'other', path: '/ws/a.txt', text: 'left' };
    perhaps?.end({ left });
    assert.deepEqual(
      (await other.since(0)).map(({ text }) => text),
      ['lost', 'perhaps', 'begun', 'made', 'other', 'left'],
    );
    ended.add(7);
    assert.deepEqual(await read(own), [
      'made other 1: begun',
      'made other 2: made',
      'made other 3: other',
      'withdrawn other 4',
      'lost other 6: left',
      'lost other 5',
    ]);
    assert.deepEqual(await read(own), []);
    assert.deepEqual(await read(open('late')), ['announced other 5: lost', 'lost other 5']);
  });
});

describe('An undo that fails', () => {
  const path = '/ws/a.txt';
  const failed = new EditorError('saveFailed', 'The file was not saved.');
  const stale = new EditorError('staleVersion', 'The file has changed.');
  const cases: readonly [what: string, error: Error, left: FileText, told: string][] = [
    ['when it has written the file', failed, 'undone', 'undone'],
    ['when it has not', failed, 'before', 'nothing'],
    ['when a formatter has changed the text', failed, 'formatted', 'perhaps formatted'],
    ['so that the file can no longer be read', failed, undefined, 'perhaps undone'],
    ['because others have changed the file', stale, 'others', 'nothing'],
  ];
  for (const [what, error, left, expected] of cases) {
    it(`${what} tells other windows ${expected}`, async () => {
      const told: string[] = [];
      const end: AnnouncedWrite['end'] = (written) => {
        if (typeof written === 'string') told.push(written);
        else told.push('left' in written ? `perhaps ${written.left.text}` : String(written.text));
      };
      const claims = new FileTextClaims();
      const own = new ConversationClaims(claims);
      let text: FileText = 'before';
      const writes = new SharedWrites({
        conversation: 'own',
        agentWrites: {
          add: () => undefined,
          announce: (some) => Promise.resolve(some.map(() => ({ end }))),
          since: () => Promise.resolve([]),
          readOtherWindows: () => Promise.resolve(),
        },
        checkpoints: undefined,
        claims,
        own,
        fileTexts: { idOf: (id) => id, readFromDisk: () => Promise.resolve({ text, id: text, isDirty: false }) },
        editor: { realPathOf: (file) => Promise.resolve(file) },
      });
      const write = (): Promise<never> => {
        text = left;
        return Promise.reject(error);
      };
      await assert.rejects(writes.ofText(path, 'undone', write), error);
      assert.deepEqual(told, [expected]);
      const isKnown = new ConversationClaims(claims).reader(0).find([path], [left], claims.now) !== undefined;
      assert.equal(isKnown, left !== undefined && expected !== 'nothing');
    });
  }
});

describe('a turn while another conversation works on the same files', () => {
  let workspace: TestWorkspace;
  const windows: DiskWindow[] = [];

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'bin.dat': binary(1), 'gone.dat': binary(9) });
  });
  afterEach(async () => {
    for (const window of windows.splice(0)) await window.close();
    await workspace.dispose();
  });

  const writesFolder = (): string => path.join(workspace.root, 'writes');

  async function openWindow(name: string, isAlive?: (pid: number) => boolean): Promise<DiskWindow> {
    const agentWrites = new AgentWritesFolder({
      folder: writesFolder(),
      windowId: `${name}-${windows.length}`,
      clock: systemClock,
      log: nullLogger,
      ...(isAlive && { isAlive }),
    });
    const window = await DiskWindow.open(workspace, { agentWrites, chats: `chats-${name}` });
    windows.push(window);
    return window;
  }

  const recorded = async (chat: Chat): Promise<string[]> => {
    await chat.restores.whenTurnRecorded();
    return changeLines(chat, workspace.folder);
  };

  const work = (): void => {
    workspace.write({ 'a.txt': 'one\nagent\nthree\n', 'new.txt': 'new\n', 'bin.dat': binary(2), 'new.dat': binary(3) });
    rmSync(workspace.file('gone.dat'));
  };

  const undos: readonly (readonly [string, (chat: Chat) => Promise<void>])[] = [
    [
      'undoes its changes',
      async (chat) => {
        for (const { path: file } of chat.fileChanges.list) await chat.revert(file);
      },
    ],
    [
      'undoes its turn',
      async (chat) => {
        for (const { path: file } of chat.fileChanges.list) await chat.revert(file, { turn: 1 });
      },
    ],
    [
      'undoes all its changes at once',
      async (chat) => {
        const paths = chat.fileChanges.list.map((change) => change.path);
        const undoId = await chat.restores.beginUndo(paths);
        for (const file of paths) await chat.revert(file, { undoId });
        await chat.restores.endUndo(undoId, paths);
      },
    ],
  ];

  for (const isSameWindow of [true, false]) {
    const where = isSameWindow ? 'the same window' : 'another window';
    for (const [what, undo] of undos) {
      it(`does not count what a conversation of ${where} undoes: it ${what}`, async () => {
        const one = await openWindow('one');
        const two = isSameWindow ? one : await openWindow('two');
        const first = await one.create();
        await one.turn(first, work);
        assert.equal((await recorded(first)).length, 5);
        const second = await two.create();
        await two.begin(second);
        await undo(first);
        workspace.write({ 'b.txt': 'by the second agent\n' });
        await two.end(second);
        assert.deepEqual(await recorded(second), ['modified b.txt']);
      });
    }

    for (const name of ['a.txt', 'new.txt', 'bin.dat', 'new.dat', 'gone.dat', 'link']) {
      it(`does not count the undo of ${name} in ${where} that has only just come to the disk`, async () => {
        const one = await openWindow('one');
        const two = isSameWindow ? one : await openWindow('two');
        const first = await one.create();
        await one.turn(first, () => {
          work();
          symlinkSync('a.txt', workspace.file('link'));
        });
        assert.equal((await recorded(first)).length, 6);
        const second = await two.create();
        await two.begin(second);
        let isFound = false;
        one.afterWrite = async () => {
          one.afterWrite = () => Promise.resolve();
          await two.end(second);
          assert.deepEqual(await recorded(second), []);
          isFound = true;
        };
        await first.revert(workspace.file(name));
        assert.ok(isFound);
      });
    }

    it(`counts what the agent writes after a failed undo in ${where}, though it is what the undo would have left`, async () => {
      const one = await openWindow('one');
      const two = isSameWindow ? one : await openWindow('two');
      const first = await one.create();
      await one.turn(first, work);
      await recorded(first);
      const second = await two.create();
      await two.begin(second);
      one.beforeWrite = () => Promise.reject(new Error('The disk is full.'));
      await assert.rejects(first.revert(workspace.file('a.txt')), /disk is full/);
      await assert.rejects(first.revert(workspace.file('bin.dat')), /disk is full/);
      workspace.write({ 'a.txt': 'one\ntwo\nthree\n' });
      await two.end(second);
      assert.deepEqual(await recorded(second), ['modified a.txt']);
    });

    it(`does not count what a conversation of ${where} restores`, async () => {
      const one = await openWindow('one');
      const two = isSameWindow ? one : await openWindow('two');
      const first = await one.create();
      await one.turn(first, work);
      await recorded(first);
      const { signal } = new AbortController();
      const prompt = [...first.transcript.entries()].find((entry) => entry.kind === 'prompt');
      const point = await first.restores.restorePointBefore(prompt?.id ?? '');
      const preview = await one.checkpoints.planRestore(point.folders, signal);
      const second = await two.create();
      await two.begin(second);
      const paths = preview.changes.map((change) => change.path);
      one.afterWrite = async () => {
        one.afterWrite = () => Promise.resolve();
        workspace.write({ 'b.txt': 'by the second agent\n' });
        await two.end(second);
        assert.deepEqual(await recorded(second), ['modified b.txt']);
      };
      const { chat } = await one.restorer.restore(
        {
          chat: first,
          entryId: prompt?.id ?? '',
          isFork: true,
          point,
          preview,
          paths,
          canChange: () => true,
          refused: [],
        },
        signal,
      );
      assert.deepEqual(changeLines(second, workspace.folder), ['modified b.txt']);
      assert.deepEqual(changeLines(chat, workspace.folder), []);
    });
  }

  it('reads what other windows have told for many files at once', async () => {
    const line = {
      at: Date.now(),
      conversation: 'other',
      path: '/elsewhere',
      text: 'a',
      phase: 'announced',
      id: '1',
      pid: 1,
    };
    mkdirSync(writesFolder());
    for (let number = 0; number < 300; number++) {
      const text = number === 0 ? JSON.stringify(line) : JSON.stringify({ ...line, phase: undefined, id: undefined });
      appendFileSync(path.join(writesFolder(), `window${number}.jsonl`), `${text}\n`);
    }
    let reads = 0;
    // Each read asks once whether the window with the announcement is still there.
    const window = await openWindow('one', () => ++reads > 0);
    const chat = await window.create();
    const before = reads;
    await window.turn(chat, () => {
      const files = Array.from({ length: 1_000 }, (_, number) => [`many/${number}.txt`, `${number}\n`] as const);
      workspace.write(Object.fromEntries(files));
    });
    assert.equal((await recorded(chat)).length, 1_000);
    assert.ok(reads - before < 100, `${reads - before} reads`);
  });

  it('counts what another window has written before, when this agent writes it, though a conversation is opened meanwhile', async () => {
    const other = await openWindow('two');
    const theirs = await other.create();
    await other.turn(theirs, () => workspace.write({ 'b.txt': 'same\n' }));
    await recorded(theirs);
    workspace.write({ 'b.txt': 'b\n' });
    const closed = await openWindow('one');
    const old = await closed.create();
    await closed.turn(old, () => workspace.write({ 'a.txt': 'old\n' }));
    await recorded(old);
    await closed.close();
    windows.splice(windows.indexOf(closed), 1);
    const window = await openWindow('one');
    const chat = await window.create();
    await window.begin(chat);
    workspace.write({ 'b.txt': 'same\n' });
    await window.reopen(old.id);
    await window.end(chat);
    assert.deepEqual(await recorded(chat), ['modified b.txt']);
  });

  it('does not count what another window wrote until this one took over the turn', async () => {
    const closed = await openWindow('one');
    const chat = await closed.create();
    await closed.begin(chat);
    const other = await openWindow('two');
    const theirs = await other.create();
    await other.turn(theirs, () => workspace.write({ 'b.txt': 'theirs\n' }));
    await recorded(theirs);
    workspace.write({ 'a.txt': 'by the agent\n' });
    // As if the window had been killed now.
    const copy = path.join(workspace.root, 'chats-killed');
    const isStored = (): boolean =>
      readFileSync(path.join(copy, chat.id, 'log.jsonl'), 'utf8').includes('"checkpoint"');
    await until('the checkpoint is stored', () => {
      cpSync(path.join(workspace.root, 'chats-one'), copy, { recursive: true });
      return isStored();
    });
    rmSync(path.join(copy, chat.id, 'lock'), { force: true });
    const window = await openWindow('killed');
    const reopened = await window.reopen(chat.id);
    assert.deepEqual(await recorded(reopened), ['modified a.txt changedSince']);
  });
});
