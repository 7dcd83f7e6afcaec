import assert from 'node:assert/strict';
import type { CurrentFileState } from '../../../../src/changes/common/workspaceCheckpoints';
import { NonTextChanges } from '../../../../src/chat/common/changes/nonTextChanges';
import { ConversationClaims, FileTextClaims } from '../../../../src/chat/common/writes/fileTextClaims';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeEditor } from '../../../fake/fakeEditor';
import { untoldWrites } from '../support/untoldWrites';

const checkpoint = { folder: '/ws', id: '1' };
const state = (object: string) => ({ kind: 'file', object, bytes: 1 }) as const;

/** Reads states when the test says so, in any order. */
class SlowCheckpoints extends FakeCheckpoints {
  readonly reads: PromiseWithResolvers<ReadonlyMap<string, CurrentFileState>>[] = [];

  override currentStates(): Promise<ReadonlyMap<string, CurrentFileState>> {
    const read = Promise.withResolvers<ReadonlyMap<string, CurrentFileState>>();
    this.reads.push(read);
    return read.promise;
  }
}

describe('NonTextChanges.refresh', () => {
  let checkpoints: SlowCheckpoints;
  let changes: NonTextChanges;
  beforeEach(() => {
    checkpoints = new SlowCheckpoints(new FakeEditor());
    changes = new NonTextChanges({
      checkpoints,
      claims: new ConversationClaims(new FileTextClaims()),
      undoWrites: untoldWrites,
      record: () => undefined,
    });
    for (const path of ['/ws/a.png', '/ws/b.png']) {
      const file = { path, checkpoint, before: state('before'), after: state('after') };
      changes.record(1, file, 'binary', false);
    }
  });

  /** What is shown of the files: `applied` only while they have the state that the agent has left. */
  const shown = (): string[] => changes.mergeWithTextChanges([]).map(({ path, state: now }) => `${path} ${now}`);
  const both = (object: string): ReadonlyMap<string, CurrentFileState> =>
    new Map(['/ws/a.png', '/ws/b.png'].map((path) => [path, state(object)]));
  const only = (object: string): ReadonlyMap<string, CurrentFileState> => new Map([['/ws/a.png', state(object)]]);
  const a = new Set(['/ws/a.png']);

  /** Starts two refreshes; the second one ends first. */
  async function overtaken(
    paths: readonly [first: ReadonlySet<string> | undefined, second: ReadonlySet<string> | undefined],
    results: readonly [
      first: ReadonlyMap<string, CurrentFileState>,
      second: ReadonlyMap<string, CurrentFileState> | Error,
    ],
  ): Promise<void> {
    const [first, second] = [changes.refresh(paths[0]), changes.refresh(paths[1])];
    const [late, early] = checkpoints.reads;
    if (results[1] instanceof Error) early?.reject(results[1]);
    else early?.resolve(results[1]);
    await second;
    late?.resolve(results[0]);
    await first;
  }

  it('shows the states of all files, or of the files that it was asked for', async () => {
    void changes.refresh();
    checkpoints.reads[0]?.resolve(both('after'));
    await Promise.resolve();
    const part = changes.refresh(a);
    checkpoints.reads[1]?.resolve(only('edited'));
    await part;
    assert.deepEqual(shown(), ['/ws/a.png changedSince', '/ws/b.png applied']);
  });

  it('of one file does not replace what a later one of all files has found before', async () => {
    await overtaken([a, undefined], [only('edited'), both('after')]);
    assert.deepEqual(shown(), ['/ws/a.png applied', '/ws/b.png applied']);
  });

  it('of all files replaces only the states that no later one has found before', async () => {
    await overtaken([undefined, a], [both('after'), only('edited')]);
    assert.deepEqual(shown(), ['/ws/a.png changedSince', '/ws/b.png applied']);
  });

  it('does not bring a state back that a later one could not read', async () => {
    await overtaken([a, undefined], [only('after'), new Error('Git is gone.')]);
    assert.deepEqual(shown(), ['/ws/a.png changedSince', '/ws/b.png changedSince']);
  });
});
