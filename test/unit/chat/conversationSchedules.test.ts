import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Entry } from '../../../src/transcript/common/entries';
import type { Chat, DuringTurn } from '../../../src/chat/common/chatPorts';
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
const steeringSteps = ['steer', 'takeSteered', 'answerSteering', 'refuseSteering'] as const;
const replacingSteps = ['stopAndSend', 'stopAndSendLate', 'stopAndSendQueued'] as const;
type Step = (typeof steps | typeof steeringSteps | typeof replacingSteps)[number];
const atWork: readonly Step[] = ['send', 'deliver'];
/** What happens in a turn that further prompts are to join. */
const duringTurn: readonly Step[] = [
  ...[...steeringSteps, ...steeringSteps, ...atWork, 'say', 'callTool', 'ask', 'allow', 'end', 'fail'],
  ...[...replacingSteps, 'stop', 'confirmStop', 'lose', 'reload'],
] as const satisfies readonly Step[];

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
  /** Prompts that the agent had without saying so, and that the user has removed from the queue. */
  readonly decided: string[] = [];

  async take(step: Step): Promise<void> {
    const chat = await this.openChat();
    const session = this.sessions.at(-1);
    switch (step) {
      case 'send':
        this.send(chat);
        break;
      case 'steer':
        this.send(chat, 'steer');
        break;
      case 'stopAndSend':
      case 'stopAndSendLate': {
        // The page may not know yet that another turn runs.
        const { turn = 0 } = chat.view;
        this.send(chat, { stopsTurn: step === 'stopAndSend' ? turn : turn - 1 });
        break;
      }
      case 'stopAndSendQueued': {
        const { queue, turn } = chat.view;
        void chat.stopAndSend(queue.at(-1)?.id ?? '', turn).catch(() => undefined);
        break;
      }
      case 'takeSteered':
        session?.takeSteered();
        break;
      case 'answerSteering':
      case 'refuseSteering':
        session?.answerSteering(step === 'refuseSteering');
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
      const doubtful = queue.find(({ isDoubtful }) => isDoubtful);
      if (session?.hasPromptOnItsWay === true) session.deliver(false);
      else if (session?.hasSteeringOnItsWay === true) session.answerSteering(false);
      else if (approvals.length > 0) await this.take('allow');
      else if (session && session.turn !== 'none') session.end();
      else if (this.unconfirmed.size > 0 || (status !== 'idle' && status !== 'failed')) return false;
      else if (queue.length === 0) return true;
      else if (doubtful) await this.decideOn(chat, doubtful.id);
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

  /** Opens the conversation in another window. Returns what it shows before and after that. */
  async reopen(): Promise<[before: Entry[], after: Entry[]]> {
    const before = [...(await this.openChat()).transcript.entries()];
    await this.take('reload');
    return [before, [...(await this.openChat()).transcript.entries()]];
  }

  get prompts(): string[] {
    return Array.from({ length: this.sentCount }, (_, index) => `prompt ${index + 1}.`);
  }

  async close(): Promise<void> {
    await this.window?.remove();
  }

  /** The user writes more below what came back. */
  private send(chat: Chat, how?: DuringTurn): void {
    const number = ++this.sentCount;
    const sent: Draft = { ...draft(`${chat.draft.text} prompt ${number}.`.trim()), id: `sent-${number}` };
    this.unconfirmed.add(sent);
    const confirm = (): void => void this.unconfirmed.delete(sent);
    void chat.send(sent, [], undefined, how).then(confirm, confirm);
  }

  /** The user takes a prompt back that the agent perhaps has, unless it has it. */
  private async decideOn(chat: Chat, id: string): Promise<void> {
    const { text } = await chat.unqueue(id);
    const isThere = this.sessions.some(({ prompts }) => prompts.includes(text));
    if (isThere) this.decided.push(text);
    else chat.saveDraft(draft(`${text}\n${chat.draft.text}`.trim()));
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
  const some = fc.array(fc.constantFrom<Step[]>(...steps), { minLength: 2, maxLength: 14 });
  const inTurn = fc.array(fc.constantFrom<Step[]>(...duringTurn), { minLength: 2, maxLength: 16 });

  it('ends with everything answered and nothing open; each prompt is said once, and none is lost', async () => {
    await fc.assert(fc.asyncProperty(some, checkSchedule), { numRuns: 60 });
  });

  it('ends so, too, if prompts are to join turns', async () => {
    await fc.assert(
      fc.asyncProperty(inTurn, (schedule) => checkSchedule([...atWork, ...schedule])),
      { numRuns: 40 },
    );
  });
});

/** Lets a world go through the schedule, and checks what has become of the prompts. */
async function checkSchedule(schedule: readonly Step[]): Promise<void> {
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
    const [before, after] = await world.reopen();
    assert.deepEqual(after, before, 'a conversation that is only opened does not change');
    assert.deepEqual(
      [...chat.transcript.entries()].filter(
        (entry) => entry.kind === 'tool' && ['pending', 'running', 'waiting'].includes(entry.state),
      ),
      [],
    );
    const said = sessions.flatMap(({ prompts }) => prompts);
    const shown = [chat.draft.text, ...chat.sentPromptTexts, ...world.decided].join('\n');
    for (const prompt of world.prompts) {
      assert.ok(said.filter((one) => one.includes(prompt)).length <= 1, `${prompt} was said twice`);
      assert.equal(shown.split(prompt).length - 1, 1, `${prompt} in ${shown}`);
    }
  } finally {
    await world.close();
  }
}
