import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import type { CheckpointStore } from '../../../../src/changes/node/checkpointStore';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import { taken, TestWorkspace, textAt } from '../support/workspace';

type Files = ReadonlyMap<string, string>;

const places = ['a', 'b', 'd/a', 'd/b', 'd/e/a', 'a/x', 'ü 🚀/\n'];

type Edit =
  | {
      readonly kind: 'write';
      readonly by: 'user' | 'agent';
      readonly place: string;
      readonly text: string;
      readonly keepTime: boolean;
    }
  | { readonly kind: 'delete'; readonly by: 'user' | 'agent'; readonly place: string }
  | { readonly kind: 'rename'; readonly by: 'user' | 'agent'; readonly place: string; readonly to: string };

type Action =
  | Edit
  | { readonly kind: 'take' | 'reopen' | 'prune' | 'commit' }
  | { readonly kind: 'restore'; readonly which: number; readonly place: string | undefined };

const by = fc.constantFrom('user' as const, 'agent' as const);
const place = fc.constantFrom(...places);
// Texts of the same length are what times and sizes do not tell apart.
const text = fc.constantFrom('1\n', '2\n', '3\n', '', 'longer\r\ntext\n');
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), by, place, text, keepTime: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), by, place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), by, place, to: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('reopen' as const, 'prune' as const, 'commit' as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('restore' as const),
      which: fc.nat(),
      place: fc.option(place, { nil: undefined }),
    }),
  },
);

/** The folder as maps say it should be. */
class Model {
  files: Files = new Map();
  readonly checkpoints: { readonly id: string; readonly files: Files }[] = [];

  write(name: string, content: string): void {
    this.files = new Map([...this.files].filter(([other]) => !isInTheWay(other, name))).set(name, content);
  }

  delete(name: string): void {
    this.files = new Map([...this.files].filter(([other]) => other !== name && !other.startsWith(`${name}/`)));
  }

  restore(files: Files, name: string | undefined): void {
    const isWanted = (other: string): boolean => name === undefined || other === name || other.startsWith(`${name}/`);
    const kept = [...this.files].filter(([other]) => !isWanted(other));
    const back = [...files].filter(([other]) => isWanted(other) && !kept.some(([one]) => isInTheWay(one, other)));
    this.files = new Map([...kept, ...back]);
  }
}

function isInTheWay(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function onDisk(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.split(path.sep)[0] !== '.git' && lstatSync(path.join(folder, name)).isFile(),
  );
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

const sorted = (files: Files): [string, string][] => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

describe('any sequence of edits, checkpoints and restores', () => {
  it('yields the texts that a model has', async function () {
    this.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(action, { minLength: 5, maxLength: 25 }), async (hasGit, actions) => {
        const workspace = new TestWorkspace();
        try {
          if (hasGit) workspace.commitAll();
          await play(workspace, hasGit, actions);
        } finally {
          await workspace.dispose();
        }
      }),
      { numRuns: 6 },
    );
  });
});

async function play(workspace: TestWorkspace, hasGit: boolean, actions: readonly Action[]): Promise<void> {
  const model = new Model();
  let store = await workspace.open();
  for (const step of actions) {
    if ('by' in step) edit(workspace, model, step);
    else if (step.kind === 'restore') await restore(store, model, step.which, step.place);
    else if (step.kind === 'take') model.checkpoints.push({ id: (await taken(store)).id, files: model.files });
    else if (step.kind === 'reopen') store = await workspace.open();
    else if (step.kind === 'prune') await store.prune({ maxAgeMs: 1e9, maxBytes: 1e9 });
    else if (hasGit) workspace.commitAll();
    assert.deepEqual(sorted(onDisk(workspace.folder)), sorted(model.files), JSON.stringify(step));
  }
  for (const { id, files } of model.checkpoints) {
    for (const name of places) assert.equal(await textAt(store, id, name), files.get(name));
    const { changes } = await store.diff(id, currentStateId);
    const differs = places.some((name) => files.get(name) !== model.files.get(name));
    assert.equal(changes.length > 0, differs);
  }
}

async function restore(store: CheckpointStore, model: Model, which: number, name: string | undefined): Promise<void> {
  const wanted = model.checkpoints[which % Math.max(model.checkpoints.length, 1)];
  if (!wanted) return;
  const { undo } = await store.applyRestore(
    await store.planRestore(wanted.id, name === undefined ? undefined : [name]),
    'undo',
  );
  model.checkpoints.push({ id: undo.id, files: model.files });
  model.restore(wanted.files, name);
}

function edit(workspace: TestWorkspace, model: Model, step: Edit): void {
  const file = workspace.file(step.place);
  if (step.kind === 'delete') {
    rmSync(file, { recursive: true, force: true });
    model.delete(step.place);
    return;
  }
  const from = step.kind === 'rename' ? model.files.get(step.place) : step.text;
  const target = step.kind === 'rename' ? step.to : step.place;
  if (from === undefined || (step.kind === 'rename' && isInTheWay(step.place, target))) return;
  const times = existsSync(file) && lstatSync(file).isFile() ? lstatSync(file) : undefined;
  if (step.kind === 'rename') {
    rmSync(file);
    model.delete(step.place);
  }
  for (const other of onDisk(workspace.folder).keys()) {
    if (isInTheWay(other, target)) rmSync(workspace.file(other));
  }
  if (existsSync(workspace.file(target))) rmSync(workspace.file(target), { recursive: true });
  workspace.write({ [target]: from });
  model.write(target, from);
  if (step.kind === 'write' && step.keepTime && times) utimesSync(file, times.atime, times.mtime);
}
