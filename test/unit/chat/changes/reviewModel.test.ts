import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { FileRestorer } from '../../../../src/chat/common/restore/fileRestorer';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeEditor } from '../../../fake/fakeEditor';
import { eventually, until } from '../../../support/eventually';
import { draft, outline, settled, Window } from '../support/window';

const path = '/ws/a.txt';
const lineCount = 5;

type Step =
  | { readonly type: 'turn'; readonly lines: readonly number[]; readonly userLine: number | undefined }
  | { readonly type: 'user' | 'keep' | 'undo'; readonly line: number }
  | { readonly type: 'revert' }
  | { readonly type: 'revertTurn'; readonly turn: number }
  | { readonly type: 'undoRestore' }
  /** To before one of the prompts so far. */
  | { readonly type: 'restore'; readonly prompt: number; readonly isFork: boolean };

const line = fc.nat(lineCount - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('turn' as const),
    lines: fc.uniqueArray(line, { minLength: 1, maxLength: 3 }),
    userLine: fc.option(line, { nil: undefined }),
  }),
  fc.record({ type: fc.constantFrom('user' as const, 'keep' as const, 'undo' as const), line }),
  fc.constant({ type: 'revert' as const }),
  fc.constant({ type: 'undoRestore' as const }),
  fc.record({ type: fc.constant('revertTurn' as const), turn: fc.nat(5) }),
  fc.record({ type: fc.constant('restore' as const), prompt: fc.nat(9), isFork: fc.boolean() }),
);

/** A line that nobody changes stands between any two, so that no two changes touch. */
function textOf(values: readonly string[]): string {
  return values.map((value, at) => `${value}\nfixed ${at}\n`).join('');
}

interface Texts {
  readonly now: readonly string[];
  readonly baseline: readonly string[];
}

/** The lines that a turn has changed. Undefined if the turn was reverted. */
type TurnLines = ReadonlyMap<number, { readonly before: string; readonly after: string }> | undefined;

/** What there was before a prompt of the conversation. */
interface Prompt extends Texts {
  readonly turns: readonly TurnLines[];
}

/** Each line as it is, and as it would be without the agent's changes that are to be reviewed. */
class Model {
  now = Array.from({ length: lineCount }, (_, at) => `line ${at}`);
  baseline = [...this.now];
  turns: TurnLines[] = [];
  private writes = 0;

  agent(at: number): void {
    this.now[at] = `agent ${++this.writes}`;
  }

  user(at: number): void {
    this.now[at] = this.baseline[at] = `user ${++this.writes}`;
  }

  /** Returns false if somebody has changed a line of the turn since. */
  revertTurn(lines: NonNullable<TurnLines>): boolean {
    const isChangedSince = [...lines].some(([at, texts]) => !Object.values(texts).includes(this.now[at] ?? ''));
    if (isChangedSince) return false;
    for (const [at, { after, before }] of lines) {
      this.now[at] = before;
      // The user has kept the change before.
      if (this.baseline[at] === after) this.baseline[at] = before;
    }
    return true;
  }

  copy(): Prompt {
    return { now: [...this.now], baseline: [...this.baseline], turns: [...this.turns] };
  }

  become({ baseline, now }: Texts): void {
    this.now = [...now];
    this.baseline = [...baseline];
  }

  isPending(at: number): boolean {
    return this.now[at] !== this.baseline[at];
  }
}

let restores = 0;

function promptOf(chat: Chat, turn: number): string {
  const found = [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt' && entry.turn === turn);
  assert.ok(found);
  return found.id;
}

describe('Review of changes', () => {
  it('has the texts of a model after any sequence of edits, keeps, undos and restores', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const model = new Model();
        const editor = new FakeEditor({ [path]: textOf(model.now) });
        const checkpoints = new FakeCheckpoints(editor);
        const window = await Window.open({ editor, checkpoints });
        const { signal } = new AbortController();
        const restorer = new FileRestorer({ chats: window.chats, checkpoints, newId: () => `restore-${++restores}` });
        let chat: Chat = await window.chats.create('one');
        /** The texts before each prompt of the conversation. */
        let prompts: Prompt[] = [];
        let lastRestore: { id: string; before: Prompt; chat: Chat; prompts: Prompt[]; isFork: boolean } | undefined;
        const write = (): void => editor.setFile(path, textOf(model.now));
        const ends = (): number => outline(chat).filter((entry) => entry.startsWith('end:')).length;
        try {
          for (const one of steps) {
            if (one.type === 'turn') {
              prompts.push(model.copy());
              await chat.send(draft('Go'));
              const { userLine } = one;
              if (userLine !== undefined && !one.lines.includes(userLine) && !model.isPending(userLine)) {
                model.user(userLine);
                write();
                window.saved.fire(path);
                await settled();
              }
              const changed = new Map<number, { before: string; after: string }>();
              for (const at of one.lines) {
                const old = model.now[at] ?? '';
                model.agent(at);
                changed.set(at, { before: old, after: model.now[at] ?? '' });
              }
              model.turns.push(changed);
              write();
              const before = ends();
              // After an undone restore this is not the newest session.
              window.agent.sessions.find(({ turn }) => turn !== 'none')?.end();
              await until('the end', () => ends() > before);
              await settled();
            } else if (one.type === 'user') {
              if (model.isPending(one.line)) continue;
              model.user(one.line);
              write();
            } else if (one.type === 'restore') {
              const { isFork, prompt } = one;
              const target = prompts[prompt];
              if (!target) continue;
              const entryId = promptOf(chat, prompt + 1);
              await chat.restores.whenTurnRecorded();
              const point = await chat.restores.restorePointBefore(entryId);
              const preview = await checkpoints.planRestore(point.folders);
              const paths = preview.changes.map((change) => change.path);
              const request = { chat, entryId, point, preview, paths, refused: [], isFork, canChange: () => false };
              const before = model.copy();
              const { chat: next, restored } = await restorer.restore(request, signal);
              const kept = { before, chat, prompts, isFork };
              if (isFork) {
                prompts = prompts.slice(0, prompt);
                model.turns = [...target.turns];
              }
              const id = restored.length > 0 ? `restore-${restores}` : undefined;
              lastRestore = id === undefined ? undefined : { id, ...kept };
              chat = next;
              // Where the file is the same, only a new conversation forgets what was decided since.
              if (restored.length > 0 || isFork) model.become(target);
            } else if (one.type === 'undoRestore') {
              const found = lastRestore && chat.restores.get(lastRestore.id);
              if (!lastRestore || !found) continue;
              const files = await restorer.previewUndo(lastRestore.chat, found, signal);
              const { chat: old } = await restorer.undo(chat, found, { ...files, refused: [], left: [] }, signal);
              assert.equal(old, lastRestore.chat);
              chat = old;
              model.become(lastRestore.before);
              if (lastRestore.isFork) {
                prompts = lastRestore.prompts;
                model.turns = [...lastRestore.before.turns];
              }
              lastRestore = undefined;
            } else if (one.type === 'revertTurn') {
              const lines = model.turns[one.turn];
              if (!lines) continue;
              await chat.restores.whenTurnRecorded();
              const reverted = chat.revert(path, { turn: one.turn + 1 });
              if (model.revertTurn(lines)) {
                await reverted;
                model.turns[one.turn] = undefined;
              } else await assert.rejects(reverted, { code: 'changedSince' });
            } else if (one.type === 'revert') {
              if (!model.now.some((_, at) => model.isPending(at))) continue;
              await chat.revert(path);
              model.now = [...model.baseline];
            } else {
              if (!model.isPending(one.line)) continue;
              const at = { start: one.line * 2, end: one.line * 2 + 1 };
              const seen = { baseline: textOf(model.baseline), text: textOf(model.now) };
              const hunk = { before: at, after: at };
              if (one.type === 'keep') {
                await chat.fileChanges.keepHunk(path, hunk, seen);
                model.baseline[one.line] = model.now[one.line] ?? '';
              } else {
                await chat.fileChanges.undoHunk(path, hunk, seen);
                model.now[one.line] = model.baseline[one.line] ?? '';
              }
            }
            // The changes of a turn are noted soon after its end.
            await eventually('the texts', async () => {
              await chat.fileChanges.refresh();
              assert.equal(editor.bufferText(path), textOf(model.now));
              const { list } = chat.fileChanges;
              const baseline = list.length > 0 ? await chat.fileChanges.baseline(path) : textOf(model.now);
              assert.equal(baseline, textOf(model.baseline));
              assert.ok(list.every(({ state }) => state === 'applied'));
            });
          }
        } finally {
          await window.remove();
        }
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
