import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Chat } from '../../../src/chat/common/chatPorts';
import type { Draft } from '../../../src/chat/common/chatView';
import { until } from '../../support/eventually';
import { scriptedBackends, type ScriptedSession } from './support/scriptedBackend';
import { answer, draft, settled, Window } from './support/window';

const steps = [
  'send',
  'deliver',
  'refuse',
  'say',
  'callTool',
  'updateEndedCall',
  'ask',
  'allow',
  'end',
  'fail',
  'stop',
  'confirmStop',
  'other',
  'lose',
  'reload',
] as const;
type Step = (typeof steps)[number];

/** A conversation, its agent and its user. Each step waits until nothing more happens by itself. */
class World {
  readonly sessions: ScriptedSession[] = [];
  /** Each with its session. */
  readonly allowed = new Set<string>();
  private window: Window | undefined;
  private chat: Chat | undefined;
  private sentCount = 0;
  /** What the page has sent and does not know the answer of. It tells that when the window is there again. */
  private readonly unconfirmed = new Set<Draft>();
  private othersCount = 0;

  async take(step: Step): Promise<void> {
    const chat = await this.openChat();
    const session = this.sessions.at(-1);
    switch (step) {
      case 'send':
        this.send(chat);
        break;
      case 'deliver':
      case 'refuse':
        session?.deliver(step === 'refuse');
        break;
      case 'allow': {
        const [first] = chat.view.approvals;
        if (!first) break;
        this.allowed.add(`${this.sessions.length} ${first.id}`);
        // A second answer, as two pages give it, must not count.
        for (const option of ['Allow', 'Deny']) void answer(chat, first.id, option).catch(() => undefined);
        break;
      }
      case 'stop':
        void chat.stop().catch(() => undefined);
        break;
      case 'confirmStop':
        if (session?.isCanceled === true) session.end('cancelled');
        break;
      case 'other':
        session?.beginTurnOfOther(`other ${++this.othersCount}.`);
        break;
      case 'lose':
        session?.dispose();
        break;
      case 'reload':
        await this.window?.close();
        this.chat = undefined;
        break;
      case 'say':
        session?.say('word ');
        break;
      case 'ask':
      case 'callTool':
      case 'updateEndedCall':
      case 'end':
      case 'fail':
        session?.[step]();
    }
    await this.rest();
  }

  /** The agent answers everything that is left, and the user sends what waits. */
  async finish(): Promise<Chat> {
    const chat = await this.openChat();
    await until('the end', async () => {
      const session = this.sessions.at(-1);
      const { approvals, queue, status } = chat.view;
      if (session?.hasPromptOnItsWay === true) session.deliver(false);
      else if (approvals.length > 0) await this.take('allow');
      else if (session && session.turn !== 'none') session.end();
      else if (this.unconfirmed.size > 0 || (status !== 'idle' && status !== 'failed')) return false;
      else if (queue.length === 0) return true;
      else void chat.sendFirstQueuedPrompt().catch(() => undefined);
      await this.rest();
      return false;
    });
    return chat;
  }

  /** Resolves when nothing more happens by itself. */
  private async rest(): Promise<void> {
    const isMoving = (): boolean => {
      const { status } = this.chat?.view ?? {};
      const isBegun = status !== 'idle' || this.unconfirmed.size === 0;
      const isOpening = !isBegun || status === 'starting' || status === 'reconnecting';
      return isOpening && this.sessions.at(-1)?.hasPromptOnItsWay !== true;
    };
    await settled();
    await until('rest', () => !isMoving());
    await settled();
  }

  /** Opens the conversation in another window. Returns how many entries it has got by that. */
  async reopen(): Promise<number> {
    const before = (await this.openChat()).transcript.size;
    await this.take('reload');
    return (await this.openChat()).transcript.size - before;
  }

  get prompts(): string[] {
    return Array.from({ length: this.sentCount }, (_, index) => `prompt ${index + 1}.`);
  }

  async close(): Promise<void> {
    await this.window?.remove();
  }

  /** The user writes more below what came back. */
  private send(chat: Chat): void {
    const number = ++this.sentCount;
    const sent: Draft = { ...draft(`${chat.draft.text} prompt ${number}.`.trim()), id: `sent-${number}` };
    this.unconfirmed.add(sent);
    const confirm = (): void => void this.unconfirmed.delete(sent);
    void chat.send(sent).then(confirm, confirm);
  }

  private async openChat(): Promise<Chat> {
    if (this.chat) return this.chat;
    const { window: before } = this;
    const backends = scriptedBackends(this.sessions);
    this.window = await Window.open({ backends, ...(before ? { folder: before.folder } : {}) });
    const [head] = this.window.store.heads;
    const chat = head ? await this.window.chats.open(head.id) : await this.window.chats.create('one');
    for (const sent of this.unconfirmed) chat.restoreLost(sent);
    this.unconfirmed.clear();
    this.chat = chat;
    return chat;
  }
}

describe('a conversation, whatever its user, its agent and other clients do in whatever order', () => {
  it('ends with everything answered and nothing open; each prompt is said once, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 2, maxLength: 14 }), async (schedule) => {
        const world = new World();
        try {
          for (const step of schedule) await world.take(step);
          const chat = await world.finish();
          const { sessions } = world;
          for (const [index, session] of sessions.entries()) {
            assert.equal(session.turn, 'none');
            assert.equal(session.isAsking, false);
            for (const [number, answers] of session.answers) {
              const isAllowed = world.allowed.has(`${index + 1} approval-${number}`);
              // Without an answer in time, it is denied. The first answer counts.
              assert.ok(isAllowed ? ['Allow', 'none'].includes(answers.join()) : answers.join() === 'none');
            }
          }
          const logged = await world.reopen();
          assert.equal(logged, 0, 'a conversation that is only opened does not change');
          assert.deepEqual(
            [...chat.transcript.entries()].filter(
              (entry) => entry.kind === 'tool' && ['pending', 'running', 'waiting'].includes(entry.state),
            ),
            [],
          );
          const said = sessions.flatMap(({ prompts }) => prompts);
          const shown = [chat.draft.text, ...chat.sentPromptTexts].join('\n');
          for (const prompt of world.prompts) {
            assert.ok(said.filter((one) => one.includes(prompt)).length <= 1, `${prompt} was said twice`);
            assert.equal(shown.split(prompt).length - 1, 1, `${prompt} in ${shown}`);
          }
        } finally {
          await world.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
