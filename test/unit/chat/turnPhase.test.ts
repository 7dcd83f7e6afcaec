import assert from 'node:assert/strict';
import { seededRandom } from '../../../bench/support/random';
import {
  isPrompting,
  nextPhase,
  type TurnEffect,
  type TurnInput,
  type TurnPhase,
} from '../../../src/chat/common/conversation/turnPhase';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { ChatBackendSession } from './support/chatBackend';

const session = new ChatBackendSession('s');
const prompt = (id: string) => ({ id, text: id, attachments: [] });
const delivery = { session, input: { text: 'a' }, hasDigest: false };
const error = new BackendError('backend', 'No.');

const connect = (promptId = 'a'): TurnInput => ({ type: 'connected', promptId, delivery });
const accepted = (promptId = 'a'): TurnInput => ({ type: 'accepted', promptId });
const refused = (promptId = 'a', isUnseen = true): TurnInput => ({
  type: 'refused',
  promptId,
  error,
  isUnseen,
});
const send = (id = 'a'): TurnInput => ({ type: 'prompt', prompt: prompt(id) });
const stop: TurnInput = { type: 'stop', isBusy: true, session };
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

const onItsWay = [send(), connect()];
const running = [...onItsWay, accepted()];

describe('the phase of a turn', () => {
  describe('of a prompt', () => {
    table([
      ['connects first', [send()], 'connecting', 'begin a, connect a'],
      ['sends it when it is connected', onItsWay, 'sent', 'send a'],
      ['answers its sender when the backend has it', running, 'sent', 'answer a'],
      ['ends by an event', [...running, ended], 'idle', 'end'],
      ['answers also when the turn has ended before', [...onItsWay, ended, accepted()], 'idle', 'answer a'],
      ['withdraws it when there is no session', [send(), refused()], 'idle', 'withdraw a, refuse a'],
      ['withdraws it when the backend refuses it', [...onItsWay, refused()], 'idle', 'withdraw a, refuse a'],
      ['leaves a turn that has begun to its events', [...onItsWay, refused('a', false)], 'sent', 'refuse a'],
      ['breaks off when the session is lost', [...running, lost], 'idle', 'recordSessionLoss, end'],
      ['is not ended by a session that is lost before', [send(), lost], 'connecting', 'settled'],
      ['lets no second one in', [...running, send('b')], 'sent', 'refuse b'],
      ['does not connect twice', [...onItsWay, connect()], 'sent', ''],
    ]);

    it('keeps why it was refused until the next one', () => {
      assert.deepEqual(after(send(), refused()).phase, { kind: 'idle', failure: error });
      assert.deepEqual(after(send(), refused(), send('b')).phase, { kind: 'connecting', prompt: prompt('b') });
    });
  });

  describe('that is stopped', () => {
    const stopping = [...running, stop];
    const stoppedOnItsWay = [...onItsWay, stop];
    table([
      ['sends nothing any more while it connects', [send(), stop], 'idle', 'abort a, stopped, end, answer a'],
      ['hears late that it is connected', [send(), stop, connect()], 'idle', ''],
      ['hears late that it could not connect', [send(), stop, refused()], 'idle', 'refuse a'],
      ['ends in the backend', stopping, 'stopping', 'stopped there, end, cancel'],
      ['is over when the backend has ended it', [...stopping, cancelled], 'idle', ''],
      ['is stopped once', [...stopping, stop], 'stopping', ''],
      ['is not over by an event', [...stopping, ended], 'stopping', ''],
      ['is not broken off by a lost session', [...stopping, lost], 'stopping', 'settled'],
      ['is cancelled while it is sent', stoppedOnItsWay, 'stopping', 'abort a, stopped there, end, cancel'],
      ['waits for what is on its way', [...stoppedOnItsWay, cancelled], 'stopping', ''],
      ['is cancelled again once it is taken', [...stoppedOnItsWay, cancelled, accepted()], 'stopping', 'cancel'],
      ['is over then', [...stoppedOnItsWay, cancelled, accepted(), cancelled], 'idle', 'answer a'],
      ['is cancelled again also before the first answer', [...stoppedOnItsWay, accepted()], 'stopping', 'cancel'],
      ['waits for both answers', [...stoppedOnItsWay, accepted(), cancelled], 'stopping', ''],
      ['settles when it is not taken', [...stoppedOnItsWay, cancelled, refused()], 'idle', 'settled, answer a'],
      ['lets the next prompt wait', [...stopping, send('b')], 'stopping', 'begin b'],
      ['sends it after', [...stopping, send('b'), cancelled], 'connecting', 'connect b'],
      [
        'forgets it when that is stopped, too',
        [...stopping, send('b'), stop],
        'stopping',
        'abort b, stopped, end, answer b',
      ],
      ['and then sends nothing', [...stopping, send('b'), stop, cancelled], 'idle', ''],
    ]);

    it('is ended in the backend also when it was begun elsewhere', () => {
      assert.equal(after(stop).does, 'stopped there, end, cancel');
      assert.equal(after({ type: 'stop', isBusy: true, session: undefined }).does, 'stopped, end');
      assert.equal(after({ type: 'stop', isBusy: false, session }).does, '');
    });
  });

  describe('that may go on after its window was closed', () => {
    table([
      ['is looked for', [resume], 'resuming', 'check'],
      ['goes on when it runs', [resume, checked(true)], 'sent', 'reopen'],
      ['is left when it does not', [resume, checked(false)], 'idle', ''],
      ['is not looked for in the middle of another', [send(), resume], 'connecting', ''],
      ['lets a prompt wait', [resume, send()], 'resuming', 'begin a'],
      ['sends it when nothing runs', [resume, send(), checked(false)], 'connecting', 'connect a'],
      ['queues it when the turn goes on', [resume, send(), checked(true)], 'sent', 'queue a, reopen, answer a'],
      ['is stopped as soon as it is found', [resume, stop, checked(true)], 'stopping', 'cancel'],
      ['need not be stopped when it does not run', [resume, stop, checked(false)], 'idle', ''],
      ['forgets the prompt that is stopped', [resume, send(), stop], 'resuming', 'abort a, stopped, end, answer a'],
      ['sends what comes after the stop', [resume, stop, send(), checked(true), cancelled], 'connecting', 'connect a'],
      ['is not told twice that it goes on', [resume, { type: 'checked', session, isBusy: true }], 'sent', ''],
    ]);
  });

  describe('of a window that closes', () => {
    table([
      ['is closed', [close], 'closed', ''],
      ['withdraws what is not sent', [send(), close], 'closed', 'abort a, withdraw a, refuse a'],
      ['waits no longer for what is on its way', [...onItsWay, close], 'closed', 'abort a, answer a'],
      ['leaves what runs', [...running, close], 'closed', ''],
      [
        'withdraws what waits for a stop',
        [...running, stop, send('b'), close],
        'closed',
        'abort b, withdraw b, refuse b',
      ],
      ['withdraws what waits for a look', [resume, send(), close], 'closed', 'abort a, withdraw a, refuse a'],
      ['sends nothing any more', [close, send()], 'closed', 'refuse a'],
      ['sends nothing that is connected late', [send(), close, connect()], 'closed', ''],
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
    if (chance < 0.35) this.take({ type: 'stop', isBusy: this.isBusy, session });
    else if (!this.isBusy && !isPrompting(this.phase)) this.take(send(`p${++this.prompts}`));
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

describe('the phases of turns, whatever comes when', () => {
  it('send each prompt at most once, answer each sender, and leave nothing at work that was stopped', () => {
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
