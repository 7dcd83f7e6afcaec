import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { FileRestorer, type ChatRestoreResult } from '../../../../src/chat/common/restore/fileRestorer';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeEditor } from '../../../fake/fakeEditor';
import { until } from '../../../support/eventually';
import { draft, outline, settled, Window } from './window';

export const a = '/ws/a.txt';
export const b = '/ws/b.txt';
const { signal } = new AbortController();

/** The disk is full as soon as a test says so. */
class FullDisk extends NodeFiles {
  isFull = false;

  override async replace(file: string, text: string): Promise<void> {
    this.requireSpace(file);
    await super.replace(file, text);
  }

  override async writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    this.requireSpace(file);
    await super.writeAtAndTruncate(file, offset, bytes);
  }

  private requireSpace(file: string): void {
    if (!this.isFull || !file.endsWith('log.jsonl')) return;
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  }
}

/** A window with checkpoints, in which conversations are forked and restored. */
export class RestoreBench {
  private constructor(
    readonly editor: FakeEditor,
    readonly checkpoints: FakeCheckpoints,
    readonly disk: FullDisk,
    public window: Window,
  ) {}

  static async open(): Promise<RestoreBench> {
    const editor = new FakeEditor({ [a]: 'one\n' });
    const checkpoints = new FakeCheckpoints(editor);
    const disk = new FullDisk();
    return new RestoreBench(editor, checkpoints, disk, await Window.open({ editor, checkpoints, files: disk }));
  }

  async remove(): Promise<void> {
    await this.window.remove();
  }

  restorer(): FileRestorer {
    const { checkpoints, window } = this;
    return new FileRestorer({ chats: window.chats, checkpoints, newId: () => `restore-${Math.random()}` });
  }

  ends(chat: Chat): number {
    return outline(chat).filter((line) => line.startsWith('end:')).length;
  }

  private change(files: Readonly<Record<string, string | undefined>>): void {
    for (const [file, text] of Object.entries(files)) {
      if (text === undefined) this.editor.deleteFile(file);
      else this.editor.setFile(file, text);
    }
  }

  /** A turn that a prompt joins, with what is changed before and after that. Returns the entry of that prompt. */
  async steer(
    chat: Chat,
    { after, before }: Record<'before' | 'after', Readonly<Record<string, string>>>,
  ): Promise<string> {
    await chat.send(draft('fourth'));
    const session = this.window.agent.last;
    session.steer = () => Promise.resolve('joined');
    session.say('Half. ');
    await until('the answer', () => outline(chat).includes('answer: Half. '));
    this.change(before);
    const taken = this.checkpoints.taken.length;
    await chat.send(draft('steered'), [], undefined, 'steer');
    await until('the prompt', () => outline(chat).includes('prompt: steered'));
    await until('the checkpoint', () => this.checkpoints.taken.length > taken);
    await settled();
    this.change(after);
    const ends = this.ends(chat);
    session.end('Did both.');
    await until('the end', () => this.ends(chat) > ends);
    await chat.restores.whenTurnRecorded();
    const found = [...chat.transcript.entries('prompt')].find(({ isSteered }) => isSteered);
    assert.ok(found);
    return found.id;
  }

  async turn(chat: Chat, prompt: string, files: Readonly<Record<string, string | undefined>>): Promise<void> {
    await chat.send(draft(prompt));
    this.change(files);
    const before = this.ends(chat);
    this.window.agent.last.end(`Did ${prompt}.`);
    await until('the end', () => this.ends(chat) > before);
    await settled();
    await chat.restores.whenTurnRecorded();
  }

  /** Three prompts: the first changes a file, the second the same one, the third makes another. */
  async conversation(): Promise<Chat> {
    const chat = await this.window.chats.create('one', undefined);
    await this.turn(chat, 'first', { [a]: 'ONE\n' });
    await this.turn(chat, 'second', { [a]: 'TWO\n' });
    await this.turn(chat, 'third', { [b]: 'new\n' });
    return chat;
  }

  promptOf(chat: Chat, number: number): string {
    const found = [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt' && entry.turn === number);
    assert.ok(found);
    return found.id;
  }

  /** Waits until all that was said so far is in the log. Writing is delayed while turns run. */
  async writtenToDisk(chat: Chat): Promise<void> {
    await chat.restores.whenTurnRecorded();
    await chat.restores.restorePointBefore(this.promptOf(chat, 1));
  }

  async restore(
    chat: Chat,
    number: number,
    how: { isFork?: boolean; paths?: readonly string[] } = {},
  ): Promise<ChatRestoreResult> {
    return await this.restoreEntry(chat, this.promptOf(chat, number), how);
  }

  async restoreEntry(
    chat: Chat,
    entryId: string,
    { isFork = true, paths }: { isFork?: boolean; paths?: readonly string[] } = {},
  ): Promise<ChatRestoreResult> {
    const point = await chat.restores.restorePointBefore(entryId);
    const preview = point.folders.length > 0 ? await this.checkpoints.planRestore(point.folders) : undefined;
    const all = preview?.changes.map((change) => change.path) ?? [...point.pathsByTurn.values()].flat();
    const request = { chat, entryId, point, preview, paths: paths ?? [...new Set(all)], refused: [], isFork };
    return await this.restorer().restore({ ...request, canChange: () => false }, signal);
  }

  async undo(chat: Chat, left: readonly string[] = []): Promise<ChatRestoreResult> {
    const notice = [...chat.transcript.entries()].findLast(
      (entry) => entry.kind === 'notice' && entry.restoreId !== undefined,
    );
    assert.ok(notice?.kind === 'notice' && notice.restoreId !== undefined);
    const found = chat.restores.get(notice.restoreId);
    assert.ok(found);
    const files = await this.restorer().previewUndo(chat, found, signal);
    const paths = files.paths.filter((path) => !left.includes(path));
    return await this.restorer().undo(chat, found, { ...files, paths, refused: [], left }, signal);
  }

  async filesNow(): Promise<Record<string, string>> {
    return Object.fromEntries((await this.editor.glob('**/*')).map((file) => [file, this.editor.diskText(file)]));
  }

  async listed(chat: Chat): Promise<Record<string, string | null | undefined>> {
    await chat.fileChanges.refresh();
    const list = chat.fileChanges.list.map(
      async (change) => [change.path, await chat.fileChanges.baseline(change.path)] as const,
    );
    return Object.fromEntries(await Promise.all(list));
  }

  /** Opens a conversation in the next window. */
  async reopened(id: string): Promise<Chat> {
    const { checkpoints, editor, window } = this;
    await window.close();
    this.window = await Window.open({ folder: window.folder, editor, checkpoints });
    return await this.window.chats.open(id);
  }
}
