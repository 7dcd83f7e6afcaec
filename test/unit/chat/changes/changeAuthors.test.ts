import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { until } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { draft, outline, settled, Window } from '../support/window';

const a = '/ws/a.txt';
const made = '/ws/made.txt';
const text = 'one\ntwo\nthree\nfour\nfive\n';

describe('A file that changes outside of editors while a turn runs', () => {
  let checkpoints: FakeCheckpoints;
  let editor: FakeEditor;
  let clock: FakeClock;
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    editor = new FakeEditor({ [a]: text });
    checkpoints = new FakeCheckpoints(editor);
    clock = new FakeClock();
    window = await Window.open({ editor, checkpoints, clock });
    window.agent.runsCommand = false;
    chat = await window.chats.create('one');
    await chat.send(draft('Go'));
  });
  afterEach(() => window.remove());

  const call = { call_id: 'c', tool_name: 'tool', operation: 'tool' };
  const started = (kind: string, locations: readonly string[] = []): SessionEvent =>
    event('tool:pre', { ...call, kind, input: {}, locations: locations.map((path) => ({ path })) });
  const ended = (): SessionEvent => event('tool:post', { ...call, result: { success: true } });
  const tell = (...events: SessionEvent[]): void => window.agent.last.tell(...events);
  const states = () => chat.view.changes.map(({ author = 'agent', change, path }) => `${path} ${change} ${author}`);

  async function end(): Promise<void> {
    window.agent.last.end();
    await until('the end', () => outline(chat).some((line) => line.startsWith('end:')));
    await settled();
    await chat.restores.whenTurnRecorded();
  }

  async function restorePoint() {
    const prompt = [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt');
    assert.ok(prompt);
    return await chat.restores.restorePointBefore(prompt.id);
  }

  it('is not the agent’s if the agent only talks', async () => {
    window.agent.last.say('Hello.');
    editor.setFile(made, 'of the user\n');
    editor.setFile(a, text.replace('two', 'TWO'));
    await end();
    assert.deepEqual(states(), []);
    assert.deepEqual([...(await restorePoint()).writtenPaths], []);
  });

  it('is not the agent’s if the agent only reads, searches or thinks', async () => {
    for (const kind of ['read', 'search', 'think', 'fetch']) tell(started(kind), ended());
    await settled();
    editor.setFile(made, 'of the user\n');
    await end();
    assert.deepEqual(states(), []);
  });

  it('is not the agent’s while its command waits for an answer, or after it was denied', async () => {
    const approval = { approval_id: 'q', prompt: 'May I?', options: ['yes', 'no'], call_id: 'c' };
    tell(started('execute'), event('approval:required', approval));
    await settled();
    editor.setFile(made, 'of the user\n');
    tell(event('approval:denied', { approval_id: 'q', decision: 'no' }));
    await end();
    assert.deepEqual(states(), []);
  });

  it('was changed while a command ran, and its restore is not selected', async () => {
    tell(started('execute'));
    await settled();
    editor.setFile(made, 'of a command\n');
    tell(ended());
    await end();
    assert.deepEqual(states(), [`${made} created command`]);
    const { pathsByCommand, writtenPaths } = await restorePoint();
    assert.deepEqual([[...writtenPaths], [...pathsByCommand]], [[made], [made]]);
  });

  for (const failure of ['problem', 'error'] as const) {
    it(`was changed while a command ran, although the scan after it has failed with ${failure === 'error' ? 'an' : 'a'} ${failure}`, async () => {
      tell(started('edit', [a]), started('execute'));
      editor.setFile(a, text.replace('two', 'TWO'));
      editor.setFile(made, 'of a command\n');
      tell(ended());
      checkpoints.scanFailures.push(failure);
      await settled();
      clock.advance(1_000);
      await until('the failed scan', () => checkpoints.scanFailures.length === 0);
      await settled();
      await end();
      assert.deepEqual(states().sort(), [`${a} modified agent`, `${made} created command`]);
    });
  }

  const question = (id: string): SessionEvent =>
    event('approval:required', { approval_id: id, prompt: 'May I?', options: ['yes', 'no'], call_id: 'c' });
  const granted = (id: string): SessionEvent => event('approval:granted', { approval_id: id, decision: 'yes' });

  it('was changed while a command ran that asks again after it', async () => {
    tell(started('execute'), question('q'), granted('q'));
    editor.setFile(made, 'of a command\n');
    tell(question('r'), event('approval:denied', { approval_id: 'r', decision: 'no' }));
    await end();
    assert.deepEqual(states(), [`${made} created command`]);
  });

  it('was changed while a command ran that asks only after it has begun', async () => {
    tell(started('execute'), event('tool:update', { call_id: 'c', status: 'in_progress' }));
    editor.setFile(made, 'of a command\n');
    tell(question('q'));
    await end();
    assert.deepEqual(states(), [`${made} created command`]);
  });

  it('is not the agent’s if a call that only reads is updated after its end', async () => {
    tell(started('read'), ended(), event('tool:update', { call_id: 'c', title: 'Read' }));
    await settled();
    editor.setFile(made, 'of the user\n');
    await end();
    assert.deepEqual(states(), []);
  });

  it('was changed by a command that reports its result after its end', async () => {
    tell(started('execute'), ended());
    await settled();
    clock.advance(1_000);
    await until('the scan', () => checkpoints.scans > 0);
    editor.setFile(made, 'of a command\n');
    tell(event('tool:update', { call_id: 'c', result: { success: true } }));
    await end();
    assert.deepEqual(states(), [`${made} created command`]);
  });

  it('has an undo for its undo, if a command may have made it', async () => {
    tell(started('other'));
    await settled();
    editor.setFile(made, 'of a command\n');
    await end();
    assert.equal(typeof (await chat.revert(made)), 'string');
    assert.throws(() => editor.diskText(made));
  });

  it('is the agent’s if an edit call names it, also among files that only changed meanwhile', async () => {
    tell(started('edit', [a]));
    await settled();
    editor.setFile(a, text.replace('two', 'TWO'));
    editor.setFile(made, 'of somebody\n');
    tell(ended());
    await end();
    assert.deepEqual(states().sort(), [`${a} modified agent`, `${made} created command`]);
    assert.deepEqual([...(await restorePoint()).pathsByCommand], [made]);
  });

  describe('by calls that have ended before anybody could read it', () => {
    const counts = () =>
      chat.view.changes
        .map(({ added, change, path, removed, state }) => `${path} ${change} +${added} -${removed} ${state}`)
        .sort();
    /** The call is announced, writes and ends in one turn of the event loop. */
    const write = (files: Readonly<Record<string, string>>): void => {
      tell(started('edit', Object.keys(files)));
      for (const [path, written] of Object.entries(files)) editor.setFile(path, written);
      tell(ended());
    };
    const editedByOthers = async () => {
      const before: Readonly<Record<string, string | null>> = { [a]: text, [made]: null };
      return [
        ...(await chat.restores.pathsEditedByOthers(await restorePoint(), (path) => Promise.resolve(before[path]))),
      ];
    };

    it('is compared with the checkpoint, as a change of the agent alone', async () => {
      write({ [a]: text.replace('two', 'TWO'), [made]: 'new\n' });
      await end();
      assert.deepEqual(counts(), [`${a} modified +1 -1 applied`, `${made} created +1 -0 applied`]);
      assert.deepEqual(await editedByOthers(), []);
      await chat.revert(a);
      await chat.revert(made);
      assert.equal(editor.diskText(a), text);
      assert.throws(() => editor.diskText(made));
    });

    it('has all of several changes', async () => {
      write({ [a]: text.replace('two', 'TWO'), [made]: 'new\n' });
      await settled();
      write({ [a]: text.replace('two', 'TWO').replace('four', 'FOUR'), [made]: 'new\nand more\n' });
      await end();
      assert.deepEqual(counts(), [`${a} modified +2 -2 applied`, `${made} created +2 -0 applied`]);
      assert.deepEqual(await editedByOthers(), []);
    });

    it('is listed without its earlier text if no checkpoint contains it', async () => {
      checkpoints.ignored.add(made);
      write({ [made]: 'new\n' });
      await end();
      assert.deepEqual(
        chat.view.changes.map(({ path, state }) => `${path} ${state}`),
        [`${made} unknown`],
      );
    });
  });

  it('is the agent’s although an earlier conversation had written the same text, which was undone', async () => {
    const changed = text.replace('two', 'TWO');
    const runTurnThatChanges = async (one: Chat): Promise<void> => {
      tell(started('execute'));
      await settled();
      editor.setFile(a, changed);
      tell(ended());
      window.agent.last.end();
      await until('the end', () => outline(one).some((line) => line.startsWith('end:')));
      await settled();
      await one.restores.whenTurnRecorded();
    };
    await runTurnThatChanges(chat);
    assert.deepEqual(states(), [`${a} modified command`]);
    // Not by Backline, so that only the time of the claim tells that it has ended.
    editor.setFile(a, text);
    const second = await window.chats.create('one');
    await second.send(draft('Again'));
    await runTurnThatChanges(second);
    assert.deepEqual(
      second.view.changes.map(({ path }) => path),
      [a],
    );
  });
});
