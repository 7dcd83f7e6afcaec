import assert from 'node:assert/strict';
import { seededRandom } from '../../../bench/support/random';
import {
  hasActivePrompt,
  nextPhase,
  type TurnEffect,
  type TurnInput,
  type TurnPhase,
} from '../../../src/chat/common/conversation/turnPhase';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { ChatBackendSession } from './support/chatBackend';

const session = new ChatBackendSession('s');
const prompt = (id: string) => ({ id, text: id, attachments: [] });
const delivery = { session, input: { text: 'a', attachments: [], reminder: () => [] }, drafts: [] };
const error = new BackendError('backend', 'No.');

const connect = (promptId = 'a'): TurnInput => ({ type: 'connected', promptId, delivery });
const accepted = (promptId = 'a'): TurnInput => ({ type: 'accepted', promptId });
const refused = (promptId = 'a', isUnseen = true) => ({
  type: 'refused' as const,
  promptId,
  error,
  isUnseen,
  isOthersTurn: false,
});
const send = (id = 'a'): TurnInput => ({ type: 'prompt', prompt: prompt(id) });
const stop = { type: 'stop', isBusy: true, isActing: true, session } as const;
const cancelled: TurnInput = { type: 'cancelled' };
const ended: TurnInput = { type: 'ended' };
const lost: TurnInput = { type: 'lost', isBusy: true, isSettling: true };
const resume: TurnInput = { type: 'resume' };
const checked = (isRunning: boolean): TurnInput => ({
  type: 'checked',
  session: isRunning ? session : undefined,
  isBusy: false,
});
const close: TurnInput = { type: 'close' };

/** In short: what it does, and to which prompt. */
function named(effect: TurnEffect): string {
  switch (effect.type) {
    case 'begin':
    case 'connect':
    case 'queue':
      return `${effect.type} ${effect.prompt.id}`;
    case 'send':
    case 'abort':
    case 'withdraw':
      return `${effect.type} ${effect.promptId}`;
    case 'answer':
      return `${effect.error ? 'refuse' : 'answer'} ${effect.promptId}`;
    case 'record':
      return effect.record.type === 'stopped'
        ? `stopped${effect.record.inBackend ? ' there' : ''}`
        : effect.record.type;
    default:
      return effect.type;
  }
}

/** What the last of the inputs does, and the phase after it. */
function after(...inputs: TurnInput[]): { kind: TurnPhase['kind']; phase: TurnPhase; does: string } {
  let phase: TurnPhase = { kind: 'idle' };
  let effects: readonly TurnEffect[] = [];
  for (const input of inputs) ({ phase, effects } = nextPhase(phase, input));
  return { kind: phase.kind, phase, does: effects.map(named).join(', ') };
}

/** Each: what happened, the phase after it, and what the last of it made happen. */
type Row = [title: string, inputs: TurnInput[], kind: TurnPhase['kind'], does: string];

function table(rows: readonly Row[]): void {
  for (const [title, inputs, kind, does] of rows) {
    it(title, () => {
      const { kind: after_, does: did } = after(...inputs);
      assert.deepEqual([after_, did], [kind, does]);
    });
  }
}

const othersTurn: TurnInput = { ...refused(), isOthersTurn: true };
const onItsWay = [send(), connect()];
const running = [...onItsWay, accepted()];

describe('nextPhase', () => {
  describe('with a prompt', () => {
    table([
      ['connects first', [send()], 'connecting', 'begin a, connect a'],
      ['sends the prompt once it is connected', onItsWay, 'sent', 'send a'],
      ['answers the sender once the backend has accepted the prompt', running, 'sent', 'answer a'],
      ['ends with an event', [...running, ended], 'idle', 'end'],
      ['answers the sender even if the turn has ended before', [...onItsWay, ended, accepted()], 'idle', 'answer a'],
      ['withdraws the prompt if there is no session', [send(), refused()], 'idle', 'withdraw a, refuse a'],
      ['withdraws the prompt if the backend refuses it', [...onItsWay, refused()], 'idle', 'withdraw a, refuse a'],
      ['queues it if the turn of another client runs', [...onItsWay, othersTurn], 'idle', 'queue a, answer a'],
      ['leaves it to its refusal if the session ends before', [...onItsWay, lost], 'sent', ''],
      ['leaves a turn that has begun to its own events', [...onItsWay, refused('a', false)], 'sent', 'refuse a'],
      ['records the loss of the session and ends', [...running, lost], 'idle', 'recordSessionLoss, end'],
      ['is not ended by the loss of an earlier session', [send(), lost], 'connecting', 'settled'],
      ['refuses a second prompt', [...running, send('b')], 'sent', 'refuse b'],
      ['does not connect twice', [...onItsWay, connect()], 'sent', ''],
    ]);

    it('keeps why it was refused until the next one', () => {
      assert.deepEqual(after(send(), refused()).phase, { kind: 'idle', failure: error });
      assert.deepEqual(after(send(), refused(), send('b')).phase, { kind: 'connecting', prompt: prompt('b') });
    });
  });

  describe('with a stopped turn', () => {
    const stopping = [...running, stop];
    const stoppedOnItsWay = [...onItsWay, stop];
    table([
      ['sends nothing if it was still connecting', [send(), stop], 'idle', 'abort a, stopped, end, answer a'],
      ['ignores a late connection', [send(), stop, connect()], 'idle', ''],
      ['refuses the prompt after a late connection failure', [send(), stop, refused()], 'idle', 'refuse a'],
      ['is cancelled in the backend', stopping, 'stopping', 'stopped there, end, cancel'],
      ['is over once the backend has ended it', [...stopping, cancelled], 'idle', ''],
      ['is stopped only once', [...stopping, stop], 'stopping', ''],
      ['is not ended by an event', [...stopping, ended], 'stopping', ''],
      ['is settled, but not ended, by the loss of the session', [...stopping, lost], 'stopping', 'settled'],
      [
        'is cancelled while its prompt is being sent',
        stoppedOnItsWay,
        'stopping',
        'abort a, stopped there, end, cancel',
      ],
      ['waits for the prompt that is being sent', [...stoppedOnItsWay, cancelled], 'stopping', ''],
      [
        'is cancelled again once the prompt is accepted',
        [...stoppedOnItsWay, cancelled, accepted()],
        'stopping',
        'cancel',
      ],
      [
        'is over after the second cancellation',
        [...stoppedOnItsWay, cancelled, accepted(), cancelled],
        'idle',
        'answer a',
      ],
      ['is cancelled again even before the first response', [...stoppedOnItsWay, accepted()], 'stopping', 'cancel'],
      ['waits for both responses', [...stoppedOnItsWay, accepted(), cancelled], 'stopping', ''],
      ['is settled if the prompt is refused', [...stoppedOnItsWay, cancelled, refused()], 'idle', 'settled, answer a'],
      ['keeps the next prompt waiting', [...stopping, send('b')], 'stopping', 'begin b'],
      ['sends the next prompt afterwards', [...stopping, send('b'), cancelled], 'connecting', 'connect b'],
      [
        'queues the next prompt if that is stopped, too',
        [...stopping, send('b'), stop],
        'stopping',
        'queue b, answer b',
      ],
      ['sends nothing after both were stopped', [...stopping, send('b'), stop, cancelled], 'idle', ''],
    ]);

    it('ends it in the backend even if it was started elsewhere', () => {
      assert.equal(after(stop).does, 'stopped there, end, cancel');
      assert.equal(after({ ...stop, session: undefined }).does, 'stopped, end');
      assert.equal(after({ ...stop, isBusy: false, isActing: false }).does, '');
    });

    it('ends what the agent does without a prompt only in the backend', () => {
      assert.equal(after({ ...stop, isBusy: false }).does, 'cancel');
      assert.equal(after({ ...stop, isBusy: false, session: undefined }).does, '');
    });
  });

  describe('with a turn that may continue after its window was closed', () => {
    table([
      ['is searched for in the backend', [resume], 'resuming', 'check'],
      ['reopens the turn if it runs', [resume, checked(true)], 'sent', 'reopen'],
      ['stays idle if it does not run', [resume, checked(false)], 'idle', ''],
      ['is not searched for during another turn', [send(), resume], 'connecting', ''],
      ['keeps a prompt waiting', [resume, send()], 'resuming', 'begin a'],
      ['sends the waiting prompt if nothing runs', [resume, send(), checked(false)], 'connecting', 'connect a'],
      [
        'queues the waiting prompt if the turn continues',
        [resume, send(), checked(true)],
        'sent',
        'queue a, reopen, answer a',
      ],
      ['is cancelled as soon as it is found', [resume, stop, checked(true)], 'stopping', 'cancel'],
      ['is not cancelled if it does not run', [resume, stop, checked(false)], 'idle', ''],
      ['queues a waiting prompt that is stopped', [resume, send(), stop], 'resuming', 'queue a, answer a'],
      [
        'sends a prompt that follows the stop',
        [resume, stop, send(), checked(true), cancelled],
        'connecting',
        'connect a',
      ],
      ['does not reopen a turn that is open already', [resume, { type: 'checked', session, isBusy: true }], 'sent', ''],
    ]);
  });

  describe('with a window that closes', () => {
    table([
      ['is closed', [close], 'closed', ''],
      ['withdraws a prompt that was not sent', [send(), close], 'closed', 'abort a, withdraw a, refuse a'],
      ['does not wait for a prompt that is being sent', [...onItsWay, close], 'closed', 'abort a, answer a'],
      ['does not end a running turn', [...running, close], 'closed', ''],
      [
        'withdraws a prompt that waits for a stopped turn',
        [...running, stop, send('b'), close],
        'closed',
        'abort b, withdraw b, refuse b',
      ],
      [
        'withdraws a prompt that waits for the check of a turn',
        [resume, send(), close],
        'closed',
        'abort a, withdraw a, refuse a',
      ],
      ['sends nothing after closing', [close, send()], 'closed', 'refuse a'],
      ['sends nothing after a late connection', [send(), close, connect()], 'closed', ''],
      ['resumes nothing', [resume, close, checked(true)], 'closed', ''],
    ]);
  });
});

/** A backend that does one thing at a time in any order, and a user who does anything at any time. */
class World {
  phase: TurnPhase = { kind: 'idle' };
  /** As the transcript shows it. */
  isBusy = false;
  /** What the backend works on. */
  running: string | undefined;
  readonly sent: string[] = [];
  readonly withdrawn: string[] = [];
  readonly answers: string[] = [];
  readonly queued: string[] = [];
  prompts = 0;
  /** The turn of the window before is to end. */
  isOldStopped = false;
  private readonly pending: (() => void)[] = [];

  constructor(private readonly random: () => number) {}

  get isQuiet(): boolean {
    return this.pending.length === 0;
  }

  take(input: TurnInput): void {
    const { effects, phase } = nextPhase(this.phase, input);
    this.phase = phase;
    for (const effect of effects) this.perform(effect);
    if (phase.kind === 'idle') assert.equal(this.running, undefined, `${input.type}: the backend works unseen`);
    if (phase.kind === 'idle') assert.equal(this.isBusy, false, `${input.type}: the transcript waits for ever`);
  }

  answerOne(): void {
    const [next] = this.pending.splice(Math.floor(this.random() * this.pending.length), 1);
    next?.();
  }

  user(): void {
    const chance = this.random();
    this.isOldStopped ||= chance < 0.35 && this.phase.kind === 'resuming';
    if (chance < 0.35) this.take({ ...stop, isBusy: this.isBusy, isActing: this.isBusy });
    else if (!this.isBusy && !hasActivePrompt(this.phase)) this.take(send(`p${++this.prompts}`));
  }

  backend(): void {
    if (this.running === undefined) return;
    this.running = undefined;
    if (this.isBusy && this.phase.kind === 'sent') {
      this.isBusy = false;
      this.take(ended);
    }
  }

  private perform(effect: TurnEffect): void {
    switch (effect.type) {
      case 'begin':
      case 'reopen':
        this.isBusy = true;
        return;
      case 'record':
        if (effect.record.type === 'stopped') this.isBusy = false;
        return;
      case 'recordSessionLoss':
        this.isBusy = false;
        return;
      case 'queue':
        this.isBusy = false;
        this.queued.push(effect.prompt.id);
        return;
      case 'withdraw':
        this.isBusy = false;
        this.withdrawn.push(effect.promptId);
        return;
      case 'connect':
        this.later(() => this.take(this.random() < 0.8 ? connect(effect.prompt.id) : refused(effect.prompt.id)));
        return;
      case 'send':
        this.sent.push(effect.promptId);
        this.later(() => this.arrive(effect.promptId));
        return;
      case 'cancel':
        // It ends what runs when it arrives.
        this.later(() => {
          this.running = undefined;
          this.later(() => this.take(cancelled));
        });
        return;
      case 'check':
        this.later(() =>
          this.take({ type: 'checked', session: this.running === undefined ? undefined : session, isBusy: false }),
        );
        return;
      case 'answer':
        this.answers.push(effect.promptId);
        return;
      default:
    }
  }

  private arrive(id: string): void {
    const isTaken = this.running === undefined && this.random() < 0.85;
    if (isTaken) this.running = id;
    this.later(() => this.take(isTaken ? accepted(id) : refused(id)));
  }

  private later(answer: () => void): void {
    this.pending.push(answer);
  }
}

describe('nextPhase, for any sequence of inputs', () => {
  it('sends each prompt at most once, answers each sender, and leaves no stopped turn running', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const random = seededRandom(seed);
      const world = new World(random);
      if (random() < 0.5) {
        world.running = random() < 0.5 ? 'old' : undefined;
        world.take(resume);
      }
      for (let step = 0; step < 40; step++) {
        const chance = random();
        if (chance < 0.4) world.user();
        else if (chance < 0.5) world.backend();
        else world.answerOne();
      }
      const isClosed = random() < 0.3;
      if (isClosed) world.take(close);
      while (!world.isQuiet) world.answerOne();
      const about = `seed ${seed}`;
      const { answers, phase, prompts, queued, sent, withdrawn } = world;
      assert.equal(new Set(sent).size, sent.length, `${about}: sent twice`);
      for (let number = 1; number <= prompts; number++) {
        assert.ok(answers.includes(`p${number}`), `${about}: p${number} was not answered`);
      }
      assert.equal(new Set([...withdrawn, ...queued]).size, withdrawn.length + queued.length, about);
      if (isClosed) assert.equal(phase.kind, 'closed', about);
      else if (world.isOldStopped) assert.notEqual(world.running, 'old', about);
      if (!isClosed) assert.ok(phase.kind === 'idle' || (phase.kind === 'sent' && world.running !== undefined), about);
    }
  });
});
