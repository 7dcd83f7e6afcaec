import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { until } from '../../support/eventually';
import { event } from './support/transcriptRecorder';
import { draft, outline, Window } from './support/window';

describe('An agent that does not remember the conversation', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
    window.agent.canLoad = false;
  });
  afterEach(() => window.remove());

  async function forgotten() {
    const chat = await window.chats.create('one');
    await chat.send(draft('My name is Ada'));
    window.agent.last.end('Hello Ada.');
    await until('the end', () => outline(chat).includes('end: completed'));
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder });
    window.agent.canLoad = false;
    return await window.chats.open(chat.id);
  }

  const digests = () =>
    window.agent.last.prompts.map(({ attachments = [] }) =>
      attachments.some((one) => one.type === 'text' && one.text.includes('My name is Ada')),
    );

  it('gets a summary with its first prompt, even if an option was set before', async () => {
    const chat = await forgotten();
    await chat.setOption('mode', 'plan');
    await chat.send(draft('Who am I?'));
    assert.deepEqual(digests(), [true]);
    assert.ok(outline(chat).some((line) => /^notice: .*doesn’t remember/.test(line)));
    window.agent.last.end('Ada.');
    await until('the answer', () => outline(chat).includes('answer: Ada.'));
    await chat.send(draft('Sure?'));
    assert.deepEqual(digests(), [true, false], 'once');
  });

  it('does not change the title of the conversation', async () => {
    const titled = (title: string): void => window.agent.last.tell(event('session:info', { title }));
    const first = await window.chats.create('one');
    await first.send(draft('My name is Ada'));
    titled('About Ada');
    await until('the title', () => first.view.title === 'About Ada');
    await window.close();
    window = await Window.open({ folder: window.folder });
    window.agent.canLoad = false;
    const chat = await window.chats.open(first.id);
    assert.equal(chat.view.title, 'About Ada');
    await chat.send(draft('Continue'));
    titled('Continue');
    window.agent.last.end('Gone on.');
    await until('the end', () => outline(chat).includes('answer: Gone on.'));
    assert.equal(chat.view.title, 'About Ada');
  });

  it('gets a summary with the prompt that it accepts, and only then a notice is shown', async () => {
    const chat = await forgotten();
    await chat.setOption('mode', 'plan');
    window.agent.last.beforePrompt = () => Promise.reject(new BackendError('unsupported', 'It takes no images.'));
    await assert.rejects(chat.send(draft('Who am I?')), /no images/);
    const notices = () => outline(chat).filter((line) => line.includes('doesn’t remember'));
    assert.deepEqual(notices(), []);
    window.agent.last.beforePrompt = () => Promise.resolve();
    await chat.send(draft('Who am I?'));
    assert.deepEqual(digests(), [true]);
    assert.equal(notices().length, 1);
  });

  it('gets no summary of a conversation whose first prompt it has refused', async () => {
    const chat = await window.chats.create('one');
    await chat.setOption('mode', 'plan');
    window.agent.last.beforePrompt = () => Promise.reject(new BackendError('unsupported', 'It takes no images.'));
    await assert.rejects(chat.send(draft('Hello')));
    window.agent.last.beforePrompt = () => Promise.resolve();
    await chat.send(draft('Hello'));
    const [prompt] = window.agent.last.prompts;
    assert.deepEqual(prompt?.attachments, []);
    assert.equal(prompt.reminder, undefined);
  });
});
