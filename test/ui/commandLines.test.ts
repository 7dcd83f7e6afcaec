import assert from 'node:assert/strict';
import { ApprovalCard } from './support/approvalCard';
import { ChatView } from './support/chatView';
import { PlannedAgent } from './support/plannedAgent';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const line = 'echo one && echo two | tr a-z A-Z';

/** As Droid and Grok do, and without a report of the call. */
describe('An agent that sends whole command lines', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let agent: PlannedAgent;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      agent = new PlannedAgent(sandbox);
      await agent.install();
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent.title);
  });

  const runs = (command: string) => [{ request: { method: 'terminal/create', params: { command } } }];

  it('gets them run by a shell, which the question says, and the user sees the output', async () => {
    await agent.plan('line', runs(line));
    await chat.send('line');
    const question = await ApprovalCard.shown(window, chat, line);
    assert.match(await question.text(), /Run in a shell \(\w+\)/);
    await window.screenshot('approval-shell-line');
    await question.answer('Allow');
    assert.deepEqual(await agent.allAnswers('line'), ['terminal/create {"exitCode":0,"signal":null}']);
    const step = (await chat.frame()).locator('details.tool > summary').filter({ hasText: 'echo one' }).last();
    await step.waitFor();
    if ((await step.locator('..').getAttribute('open')) === null) await step.click();
    await chat.shows(/TWO/);
    await window.screenshot('command-not-reported');
  });

  it('is refused what cannot start, without a question', async () => {
    await agent.plan('nothing', runs('no-such-program-here'));
    await chat.send('nothing');
    const [answer = ''] = await agent.allAnswers('nothing');
    assert.match(answer, /isn't on PATH/);
  });
});
