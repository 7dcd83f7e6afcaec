import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { BackendView } from '../../../src/chat/common/chatView';
import { backends, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';

const server: BackendView = {
  id: 'amplifier',
  title: 'Amplifier',
  description: 'http://127.0.0.1:8765',
  source: 'server',
  state: 'stopped',
  health: { kind: 'asking' },
};
const problem = 'No Amplifier server answers at 127.0.0.1:8765. Start it.';

describe('a server in the list of backends', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const withServer = (part: Partial<BackendView>) => ({ backends: [...backends.slice(0, 2), { ...server, ...part }] });

  it('is asked for when the list opens, which shows at once what is known and then what is heard', async () => {
    const chat = await pages.openChat(snapshot(null, withServer({})));
    await chat.page.getByRole('button', { name: /^Agent: / }).press('ArrowDown');
    await chat.host.waitFor(chatRequests.refreshBackends);
    await chat.page.getByRole('option', { name: /Amplifier.*checking…/ }).waitFor();
    await chat.tell(withServer({ health: { kind: 'silent' }, problem }));
    await chat.page.getByRole('option', { name: /Amplifier.*unavailable.*Start it/ }).waitFor();
    await chat.tell(withServer({ health: { kind: 'answers', version: '0.4.1' } }));
    await chat.page.getByRole('option', { name: /Amplifier.*running \(version 0\.4\.1\)/ }).waitFor();
    assert.equal(chat.host.requestsOf(chatRequests.refreshBackends).length, 1);
  });

  it('that does not answer explains what to do before the first prompt', async () => {
    const chosenBackend = 'amplifier';
    const chat = await pages.openChat(
      snapshot(null, { ...withServer({ health: { kind: 'silent' }, problem }), chosenBackend }),
    );
    await chat.page.getByText(problem).waitFor();
    await chat.page.getByRole('button', { name: 'Set Up…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'amplifier' });
  });

  it('that needs a token says so, and offers to set it', async () => {
    const needsToken = { health: { kind: 'needsToken' }, problem: 'The server needs a token.' } as const;
    const chat = await pages.openChat(snapshot(null, { ...withServer(needsToken), chosenBackend: 'amplifier' }));
    await chat.page.getByText('needs a token', { exact: true }).waitFor();
    await chat.page.getByRole('button', { name: 'Set Token…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'amplifier' });
  });
});

describe('the profile of a new conversation', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const profile = {
    type: 'select',
    id: 'profile',
    name: 'Profile',
    category: 'profile',
    value: 'dev',
    choices: ['vscode-simple', 'vscode-dev'].map((name) => ({ value: name, name })),
    custom: true,
  } as const;

  it('can be typed where the server does not list any', async () => {
    const chat = await pages.openChat(snapshot(null, { newOptions: [profile] }));
    await chat.page.getByRole('button', { name: 'Profile: dev' }).click();
    await chat.page.getByRole('option', { name: 'vscode-simple' }).waitFor();
    await chat.page.getByRole('combobox', { name: /Profile/ }).fill('my-own');
    await chat.page.getByRole('option', { name: 'Use “my-own”' }).click();
    const { optionId, value } = await chat.host.waitFor(chatRequests.setOption);
    assert.deepEqual([optionId, value], ['profile', 'my-own']);
  });

  it('that was refused comes with others, one of which is set and sent with at once', async () => {
    const message = 'The server has no profile "dev". Choose another one.';
    const chat = await pages.openChat(snapshot(null, { newOptions: [profile] }));
    chat.host.answer(chatRequests.send, () => {
      throw new Error(message);
    });
    const prompt = chat.page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('Explain this');
    await prompt.press('Enter');
    await chat.page.getByText(message).waitFor();
    await prompt.fill('Explain this');
    await chat.tell({ newOptions: [{ ...profile, problem: message }] });
    chat.host.answer(chatRequests.send, () => ({}));
    await chat.page.getByRole('button', { name: 'Send with vscode-simple' }).click();
    const { optionId, value } = await chat.host.waitFor(chatRequests.setOption);
    assert.deepEqual([optionId, value], ['profile', 'vscode-simple']);
    await chat.page.getByText(message).waitFor({ state: 'detached' });
    assert.equal(chat.host.requestsOf(chatRequests.send).length, 2);
  });
});

describe('the agent of a conversation that was removed', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('keeps its name', async () => {
    const session = sessionOf({ backendId: 'gone', backendTitle: 'Gemini CLI' });
    const chat = await pages.openChat(snapshot(session));
    await chat.page.getByRole('button', { name: 'Agent: Gemini CLI', exact: true }).waitFor();
  });
});
