import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/chatApi';
import type { BackendView } from '../../../src/chat/common/chatView';
import { backends, snapshot } from './support/chatFixtures';
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
    await chat.host.waitFor(chatRequests.lookAtBackends);
    await chat.page.getByRole('option', { name: /Amplifier.*asking whether it answers/ }).waitFor();
    await chat.tell(withServer({ health: { kind: 'silent' }, problem }));
    await chat.page.getByRole('option', { name: /Amplifier.*does not answer.*Start it/ }).waitFor();
    await chat.tell(withServer({ health: { kind: 'answers', version: '0.4.1' } }));
    await chat.page.getByRole('option', { name: /Amplifier.*running \(version 0\.4\.1\)/ }).waitFor();
    assert.equal(chat.host.requestsOf(chatRequests.lookAtBackends).length, 1);
  });

  it('that does not answer says what to do before the first prompt', async () => {
    const chosenBackend = 'amplifier';
    const chat = await pages.openChat(
      snapshot(null, { ...withServer({ health: { kind: 'silent' }, problem }), chosenBackend }),
    );
    await chat.page.getByText(problem).waitFor();
    await chat.page.getByRole('button', { name: 'Set up…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'amplifier' });
  });
});
