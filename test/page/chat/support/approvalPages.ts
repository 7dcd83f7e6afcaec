// Opens the page of the chat with a question that comes while a turn runs.
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import type { PageOptions } from '../../support/pageHarness';
import { pauseClock } from '../../support/drawn';
import { now, sessionOf, snapshot, type Update } from './chatFixtures';
import type { ChatHere, ChatPages } from './chatPages';

/** For how long no answer is accepted after the questions have changed. */
export const guardMs = 500;

/** The page's clock stands still but for `clock.runFor`: no answer is accepted before `guardMs`. `part`: of the first state. */
export async function openQuestions(
  pages: ChatPages,
  approvals: ApprovalView[],
  options: Partial<PageOptions> = {},
  part: Update = {},
): Promise<ChatHere> {
  const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' }), part), options);
  await pauseClock(chat.page, now + 1);
  await chat.tellSession({ status: 'busy', approvals });
  await chat.page.locator('.approval').waitFor();
  return chat;
}
