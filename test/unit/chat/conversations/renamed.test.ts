import assert from 'node:assert/strict';
import { until } from '../../../support/eventually';
import { draft, spoken, Window } from '../support/window';

describe('The session of a conversation that the user renames', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  async function reload(): Promise<void> {
    const { folder, memento } = window;
    await window.close();
    window = await Window.open({ folder, memento });
  }

  const startAgent = async () => (await window.chats.create('one')).send(draft('Something else'));
  const titles = () => window.agent.calls.filter((call) => call.startsWith('title '));

  it('has the title at once if the agent runs', async () => {
    const chat = await spoken(window, 'First words');
    await window.chats.rename(chat.id, 'Better words');
    await until('the title', () => titles().length === 1);
    assert.deepEqual(titles(), ['title one-1 Better words']);
    await reload();
    await startAgent();
    assert.deepEqual(titles(), [], 'it was told');
  });

  it('has the last title as soon as the agent runs, and nothing is started for it', async () => {
    const { id } = await spoken(window, 'First words');
    await reload();
    await window.chats.rename(id, 'Better words');
    await window.chats.rename(id, 'The best words');
    assert.deepEqual(window.agent.calls, []);
    await startAgent();
    await until('the title', () => titles().length > 0);
    assert.deepEqual(titles(), ['title one-1 The best words']);
  });

  it('keeps its title if the agent cannot change it', async () => {
    window.agent.canSetTitle = false;
    const chat = await spoken(window, 'First words');
    await window.chats.rename(chat.id, 'Better words');
    assert.equal(chat.view.title, 'Better words');
    await until('nothing is left to do', () => JSON.stringify([...window.memento.values.values()]) === '[[]]');
    assert.deepEqual(titles(), []);
  });
});
