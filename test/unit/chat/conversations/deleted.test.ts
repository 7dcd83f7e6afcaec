import assert from 'node:assert/strict';
import { until } from '../../../support/eventually';
import { draft, spoken, Window, rowsFound } from '../support/window';

describe('A conversation deleted while its agent was not running', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  async function reload(): Promise<void> {
    const { folder, memento } = window;
    await window.close();
    window = await Window.open({ folder, memento });
    window.agent.summaries = [{ id: 'one-2', title: 'Secret' }];
  }

  async function deleted(): Promise<void> {
    // The agent that is started later names its first session like this one.
    await startAgent();
    const chat = await spoken(window, 'Secret');
    await reload();
    // Also when it is open, and its agent is not.
    await window.chats.open(chat.id);
    await window.chats.delete(chat.id);
    assert.deepEqual(window.agent.calls, [], 'nothing is started for it');
  }

  const startAgent = async () => (await window.chats.create('one')).send(draft('Something else'));
  const listed = async () =>
    (await rowsFound(window.chats, '')).filter(({ remote }) => remote).map(({ title }) => title);

  it('is deleted in the agent as soon as it runs, once', async () => {
    await deleted();
    await startAgent();
    await until('the deletion', () => window.agent.calls.includes('delete one-2'));
    await until('nothing is left to do', () => JSON.stringify([...window.memento.values.values()]) === '[[]]');
    await reload();
    await startAgent();
    assert.ok(!window.agent.calls.includes('delete one-2'));
  });

  it('is not listed again if the agent keeps it', async () => {
    await deleted();
    for (const when of ['now', 'after a reload']) {
      window.agent.canDelete = false;
      await startAgent();
      assert.deepEqual(await listed(), [], when);
      await reload();
    }
  });

  it('does not hide other sessions from the list', async () => {
    await deleted();
    window.agent.canDelete = false;
    window.agent.summaries = [
      { id: 'one-2', title: 'Secret' },
      { id: 'one-7', title: 'Another one' },
    ];
    await startAgent();
    assert.deepEqual(await listed(), ['Another one']);
  });
});
