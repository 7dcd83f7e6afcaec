import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FakeCheckpoints } from '../../fake/fakeCheckpoints';
import { FakeEditor } from '../../fake/fakeEditor';
import { eventually, until } from '../../support/eventually';
import { draft, outline, settled, Window } from './support/window';

const path = '/ws/a.txt';
const lineCount = 5;

type Step =
  | { readonly type: 'turn'; readonly lines: readonly number[]; readonly userLine: number | undefined }
  | { readonly type: 'user' | 'keep' | 'undo'; readonly line: number }
  | { readonly type: 'revert' };

const line = fc.nat(lineCount - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('turn' as const),
    lines: fc.uniqueArray(line, { minLength: 1, maxLength: 3 }),
    userLine: fc.option(line, { nil: undefined }),
  }),
  fc.record({ type: fc.constantFrom('user' as const, 'keep' as const, 'undo' as const), line }),
  fc.constant({ type: 'revert' as const }),
);

/** A line that nobody changes stands between any two, so that no two changes touch. */
function textOf(values: readonly string[]): string {
  return values.map((value, at) => `${value}\nfixed ${at}\n`).join('');
}

/** Each line as it is, and as it would be without the agent's changes that are to be reviewed. */
class Model {
  readonly now = Array.from({ length: lineCount }, (_, at) => `line ${at}`);
  readonly baseline = [...this.now];
  private writes = 0;

  agent(at: number): void {
    this.now[at] = `agent ${++this.writes}`;
  }

  user(at: number): void {
    this.now[at] = this.baseline[at] = `user ${++this.writes}`;
  }

  isPending(at: number): boolean {
    return this.now[at] !== this.baseline[at];
  }
}

describe('The review of changes', () => {
  it('has the texts of a model after any sequence of edits by agent and user, of keeps and undos', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const model = new Model();
        const editor = new FakeEditor({ [path]: textOf(model.now) });
        const window = await Window.open({ editor, checkpoints: new FakeCheckpoints(editor) });
        const chat = await window.chats.create('one');
        const write = (): void => editor.setFile(path, textOf(model.now));
        const ends = (): number => outline(chat).filter((entry) => entry.startsWith('end:')).length;
        try {
          for (const one of steps) {
            if (one.type === 'turn') {
              await chat.send(draft('Go'));
              const { userLine } = one;
              if (userLine !== undefined && !one.lines.includes(userLine) && !model.isPending(userLine)) {
                model.user(userLine);
                write();
                window.saved.fire(path);
                await settled();
              }
              for (const at of one.lines) model.agent(at);
              write();
              const before = ends();
              window.agent.last.end();
              await until('the end', () => ends() > before);
              await settled();
            } else if (one.type === 'user') {
              if (model.isPending(one.line)) continue;
              model.user(one.line);
              write();
            } else if (one.type === 'revert') {
              if (!model.now.some((_, at) => model.isPending(at))) continue;
              await chat.revert(path);
              model.now.splice(0, lineCount, ...model.baseline);
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
      { numRuns: 50, endOnFailure: true },
    );
  });
});
