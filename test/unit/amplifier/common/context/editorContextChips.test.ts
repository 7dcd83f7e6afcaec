import assert from 'node:assert/strict';
import { EditorContextChips } from '../../../../../src/amplifier/common/context/editorContextChips';
import { ContextSwitches, type EditorContextChip } from '../../../../../src/amplifier/common/context/contextSwitches';
import { Emitter } from '../../../../../src/base/common/event';
import { FakeClock } from '../../../../fake/fakeClock';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('the chips of what goes to an Amplifier server', () => {
  let found: EditorContextChip[];
  let git: Emitter<void>;
  let listeners: number;
  let clock: FakeClock;
  let chips: EditorContextChips;
  let changes: number;

  beforeEach(() => {
    found = [];
    listeners = 0;
    changes = 0;
    git = new Emitter(throwIt);
    clock = new FakeClock();
    chips = new EditorContextChips({
      collector: { describeKinds: () => Promise.resolve(found) },
      switches: new ContextSwitches([], throwIt),
      changes: [
        (listener) => {
          listeners++;
          return git.event(listener);
        },
      ],
      clock,
      onListenerError: throwIt,
    });
    chips.onDidChange(() => changes++);
    chips.start();
  });
  afterEach(() => chips.dispose());

  const repository: EditorContextChip = { kind: 'git', isOn: true, label: 'Git: main, 1 change', count: 1 };

  it('follow what is found after they were shown first, as Git is after a reload', async () => {
    assert.deepEqual(await chips.chipsFor('amplifier'), []);
    found = [repository];
    git.fire();
    git.fire();
    clock.advance(300);
    assert.equal(changes, 1);
    assert.deepEqual(await chips.chipsFor('amplifier'), [repository]);
  });

  it('observe nothing while they are not shown', async () => {
    await chips.chipsFor('demo-agent');
    assert.equal(listeners, 0);
    await chips.chipsFor('amplifier');
    await chips.chipsFor('amplifier');
    assert.equal(listeners, 1);
  });

  it('observe nothing after dispose', async () => {
    await chips.chipsFor('amplifier');
    git.fire();
    chips.dispose();
    git.fire();
    clock.advance(300);
    assert.equal(changes, 0);
  });
});
