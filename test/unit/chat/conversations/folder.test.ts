import assert from 'node:assert/strict';
import { draft, Window } from '../support/window';

/** Where the agent of a new conversation works. */
describe('The working folder of a conversation', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
    window.editor.setFolders('/ws', '/other');
  });
  afterEach(() => window.remove());

  /** What the backend is asked to begin with. */
  async function begin(folder?: string): Promise<unknown> {
    const { agent } = window;
    const asked: unknown[] = [];
    const create = agent.createSession.bind(agent);
    agent.createSession = (options, signal) => {
      asked.push(options);
      return create(options, signal);
    };
    const chat = await window.chats.create('one', { folder });
    await chat.send(draft('Hello'));
    return asked[0];
  }

  it('is the first workspace folder', async () => {
    assert.deepEqual(await begin(), { cwd: '/ws', additionalDirectories: ['/other'] });
  });

  it('is the requested one, with the others as additional folders', async () => {
    assert.deepEqual(await begin('/other'), { cwd: '/other', additionalDirectories: ['/ws'] });
  });

  it('can be below a workspace folder', async () => {
    assert.deepEqual(await begin('/ws/packages'), { cwd: '/ws/packages', additionalDirectories: ['/ws', '/other'] });
  });

  it('is never outside the workspace', async () => {
    assert.deepEqual(await begin('/wsother'), { cwd: '/ws', additionalDirectories: ['/other'] });
  });
});
