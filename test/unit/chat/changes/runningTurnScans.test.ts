import assert from 'node:assert/strict';
import { RunningTurnScans } from '../../../../src/chat/common/changes/runningTurnScans';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { eventually, until } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { draft, outline, settled, Window } from '../support/window';

describe('Scans while a turn runs', () => {
  const setUp = (scanMs = 0) => {
    const clock = new FakeClock();
    const at: number[] = [];
    const scans = new RunningTurnScans(clock, () => {
      at.push(clock.now());
      return new Promise<void>((resolve) => void clock.setTimer(scanMs, resolve));
    });
    const pass = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed++) {
        clock.advance(1_000);
        await settled();
      }
    };
    return { at, clock, pass, scans };
  };

  it('are less frequent while the agent reports nothing', async () => {
    const { at, pass, scans } = setUp();
    scans.observeEvent(event('prompt:submit', { prompt: 'Go' }));
    await pass(120);
    assert.deepEqual(at, [3_000, 9_000, 21_000, 45_000, 75_000, 105_000]);
    scans.observeEvent(event('prompt:submit', { prompt: 'Go' }));
    await pass(30);
    // The pause that has begun is not cut short.
    assert.deepEqual(at.slice(6), [135_000, 141_000]);
    scans.end();
  });

  it('take a small share of the time, however long one takes', async () => {
    const { at, pass, scans } = setUp(10_000);
    scans.observeEvent(event('prompt:submit', { prompt: 'Go' }));
    await pass(410);
    assert.deepEqual(at, [3_000, 203_000, 403_000]);
    scans.end();
  });

  it('end with the turn, even if one is running', async () => {
    const { at, clock, pass, scans } = setUp();
    scans.observeEvent(event('prompt:submit', { prompt: 'Go' }));
    clock.advance(3_000);
    scans.end();
    await pass(60);
    assert.deepEqual([at, clock.pending], [[3_000], 0]);
  });

  it('show what a command has written before it ends', async () => {
    const clock = new FakeClock();
    const editor = new FakeEditor({ '/ws/a.txt': 'one\n' });
    const checkpoints = new FakeCheckpoints(editor);
    const window = await Window.open({ editor, checkpoints, clock });
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    await until('the turn', () => chat.view.status === 'busy');
    const call = { tool_name: 'shell', operation: 'shell', call_id: 'c', kind: 'execute' };
    window.agent.last.tell(event('tool:pre', { ...call, input: {} }));
    await until('the call', () => outline(chat).includes('tool'));
    editor.setFile('/ws/a.txt', 'two\n');
    clock.advance(3_000);
    await eventually('the change', () =>
      assert.deepEqual(
        chat.view.changes.map(({ path }) => path),
        ['/ws/a.txt'],
      ),
    );
    assert.ok(!outline(chat).some((line) => line.startsWith('end:')));
    await window.remove();
  });
});
