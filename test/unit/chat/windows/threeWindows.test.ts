import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import type { ApprovalAnswer, Chat } from '../../../../src/chat/common/chatPorts';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { FakeClock } from '../../../fake/fakeClock';
import { ChatBackends, type ChatBackendSession } from '../support/chatBackend';
import { SharedDisk, WindowFiles } from '../support/sharedDisk';
import { event } from '../support/transcriptRecorder';
import { draft, outline, Window } from '../support/window';

const kinds = [
  'start',
  'prompt',
  'finish',
  'ask',
  'change',
  'draw',
  'answerRow',
  'answerCard',
  'stop',
  'kill',
  'close',
  'sleep',
  'delete',
] as const;
const step = fc.record({
  kind: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('start', 'prompt', 'ask', 'change', 'draw', 'draw', 'answerRow', 'answerCard'),
    },
    { weight: 1, arbitrary: fc.constantFrom(...kinds) },
  ),
  window: fc.nat(2),
  conversation: fc.constantFrom(0, 0, 0, 1, 2, 3),
  /** How long it is until the next step, in milliseconds. */
  waitMs: fc.constantFrom(0, 50, 200, 700, 3_000),
});
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

/** What a user saw of a request, and could answer it with. */
interface Drawn extends ApprovalAnswer {
  readonly conversation: string;
  readonly command: string;
}

interface OpenWindow {
  readonly window: Window;
  readonly files: WindowFiles;
  /** The last that its list and its card have shown. */
  row?: Drawn;
  card?: Drawn;
}

const folders = ['/work/api', '/work/web'];

/** Three windows of one user on one disk, with agents that do what the schedule says. */
class World {
  private readonly clock = new FakeClock();
  private readonly disk = new SharedDisk();
  private readonly open: OpenWindow[] = [];
  private readonly ids: string[] = [];
  private readonly deleted = new Set<string>();
  private readonly accepted = new Map<string, string>();
  /** The command of each pending approval, by its id. */
  private readonly commands = new Map<string, string>();
  /** What agents were told, with the command for which they asked then. */
  private readonly grants: { readonly id: string; readonly command: string | undefined }[] = [];
  private readonly answered: Drawn[] = [];
  private readonly running = new Set<Promise<unknown>>();
  private count = 0;

  private constructor(private readonly folder: string) {}

  static async create(): Promise<World> {
    const world = new World(await mkdtemp(path.join(tmpdir(), 'three-')));
    for (let index = 0; index < 3; index++) world.open.push(await world.openWindow());
    return world;
  }

  private async openWindow(): Promise<OpenWindow> {
    const files = new WindowFiles(this.disk);
    const { clock, folder } = this;
    const backends = new ChatBackends('one');
    const window = await Window.open({ folder, backends, files, clock, storeClock: clock });
    return { window, files };
  }

  async remove(): Promise<void> {
    for (const { window } of this.open) this.run(window.close());
    await this.settle();
    for (const { files } of this.open) await files.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  async take({ kind, window: index, conversation, waitMs }: Step): Promise<void> {
    const here = this.open[index] ?? assert.fail();
    const { window } = here;
    const id = this.ids[conversation % Math.max(1, this.ids.length)];
    const session = id === undefined ? undefined : this.sessionOf(id);
    if (kind === 'start' && this.ids.length < 4) {
      const chat = await window.chats.create('one', { folder: folders[this.ids.length % 2] });
      this.ids.push(chat.id);
      this.prompt(chat);
    }
    if (id !== undefined && !this.deleted.has(id)) this.act(kind, here, id, session);
    if (kind === 'kill') await here.files.kill();
    if (kind === 'close') this.run(window.close());
    if (kind === 'kill' || kind === 'close') {
      if (kind === 'close') await this.settle();
      this.open[index] = await this.openWindow();
    }
    if (kind === 'sleep') this.clock.sleep(10 * 60_000);
    await this.elapse(waitMs);
  }

  private act(kind: Step['kind'], here: OpenWindow, id: string, session: ChatBackendSession | undefined) {
    const { chats } = here.window;
    const isWorking = session?.turn === 'own';
    switch (kind) {
      case 'prompt':
        this.run(this.withChat(here, id, (chat) => this.prompt(chat)));
        break;
      case 'finish':
        if (isWorking) session.end('Done.');
        break;
      case 'ask':
        if (isWorking) this.ask(session, `approval-${++this.count}`);
        break;
      case 'change': {
        const [pending] = this.pendingOf(id);
        if (!isWorking || pending === undefined) break;
        session.tell(event('approval:denied', { approval_id: pending, decision: '', reason: 'request_changed' }));
        this.ask(session, pending);
        break;
      }
      case 'draw': {
        const { answer, text = '' } = chats.rows.find((row) => row.id === id)?.need ?? {};
        const command = text.split(': ').at(-1) ?? '';
        if (answer) here.row = { ...answer, option: answer.allow, conversation: id, command };
        this.run(
          this.withChat(here, id, (chat) => {
            chat.setVisibility('seen');
            const view = chat.view.approvals[0];
            const [part] = view?.parts ?? [];
            const shownCommand = part?.type === 'terminal' ? (part.command ?? '') : '';
            if (view)
              here.card = {
                ...view,
                approvalId: view.id,
                option: 'Yes',
                shown: view.shown,
                conversation: id,
                command: shownCommand,
              };
          }),
        );
        break;
      }
      case 'answerRow':
        if (here.row) this.answer(here.row, chats.answerFromRow(here.row.conversation, here.row));
        break;
      case 'answerCard': {
        const { card } = here;
        const chat = here.window.chats.openChats.find((one) => one.id === card?.conversation);
        if (card && chat) this.answer(card, chat.answerApproval(card));
        break;
      }
      case 'stop':
        this.run(this.withChat(here, id, (chat) => chat.stop()));
        break;
      case 'delete':
        this.run(chats.delete(id).then(() => this.deleted.add(id)));
        break;
      case 'start':
      case 'kill':
      case 'close':
      case 'sleep':
    }
  }

  private async withChat(here: OpenWindow, id: string, use: (chat: Chat) => unknown): Promise<void> {
    await use(await here.window.chats.open(id));
  }

  private prompt(chat: Chat): void {
    const text = `prompt ${++this.count}`;
    this.run(chat.send(draft(text)).then(() => this.accepted.set(text, chat.id)));
  }

  private ask(session: ChatBackendSession, id: string): void {
    const command = `run ${++this.count}`;
    const isNew = !this.commands.has(id);
    this.commands.set(id, command);
    const context = { command, kind: 'execute', folder: '/work/api' };
    const options = { options: ['Yes', 'No'], option_kinds: ['allow_once' as const, 'reject_once' as const] };
    session.tell(event('approval:required', { approval_id: id, prompt: `Run ${command}`, context, ...options }));
    if (!isNew || Object.hasOwn(session, 'answerApproval')) return;
    const original = session.answerApproval.bind(session);
    session.answerApproval = (approval, option) => {
      this.grants.push({ id: approval, command: this.commands.get(approval) });
      return original(approval, option);
    };
  }

  private answer(drawn: Drawn, answering: Promise<void>): void {
    this.run(answering.then(() => this.answered.push(drawn)));
  }

  private pendingOf(id: string): string[] {
    return this.ownersOf(id).flatMap(({ window }) =>
      (window.chats.openChats.find((chat) => chat.id === id)?.view.approvals ?? []).map((view) => view.id),
    );
  }

  private ownersOf(id: string): OpenWindow[] {
    return this.open.filter(({ window }) =>
      window.chats.openChats.some((chat) => chat.id === id && chat.live !== undefined),
    );
  }

  private sessionOf(id: string): ChatBackendSession | undefined {
    const [owner] = this.ownersOf(id);
    const remoteId = owner?.window.chats.openChats.find((chat) => chat.id === id)?.backendSessionId;
    return owner?.window.agent.sessions.findLast((session) => session.id === remoteId);
  }

  /** Failures are what the user is told: another window was quicker, or it works. */
  private run(doing: Promise<unknown>): void {
    const done: Promise<unknown> = doing.catch(() => undefined).finally(() => this.running.delete(done));
    this.running.add(done);
  }

  private async elapse(ms: number): Promise<void> {
    await this.disk.whenQuiet();
    for (let passed = 0; passed < ms; passed += 50) {
      this.clock.advance(50);
      await this.disk.whenQuiet();
    }
  }

  /** Resolves when all that the user has begun is done. */
  private async settle(): Promise<void> {
    for (let waits = 0; this.running.size > 0 && waits < 60; waits++) await this.elapse(500);
  }

  /** What must hold two seconds after the last that happened. */
  async check(): Promise<void> {
    await this.settle();
    await this.elapse(2_000);
    for (const id of this.ids) {
      const owners = this.ownersOf(id);
      assert.ok(owners.length <= 1, 'two windows run one conversation');
      const rows = this.open.map(({ window }) => window.chats.rows.find((row) => row.id === id));
      if (this.deleted.has(id)) {
        assert.deepEqual(rows, [undefined, undefined, undefined], 'it is deleted everywhere');
        continue;
      }
      const isKnown = [...this.accepted.values()].includes(id);
      if (isKnown) assert.ok(!rows.includes(undefined), 'a conversation is lost');
      const [owner] = owners;
      const live = owner?.window.chats.openChats.find((chat) => chat.id === id)?.live;
      const told = rows.map((row) => row && tellOf(row));
      const session = this.sessionOf(id);
      const state = !live ? undefined : session?.turn === 'own' && this.pendingOf(id).length > 0 ? 'waiting' : 'busy';
      for (const row of told) {
        if (!isKnown && row === undefined) continue;
        assert.deepEqual(row, told[0], 'windows tell different things');
        if (live) assert.deepEqual(row, { state, need: live.need }, 'a row lies');
        else assert.ok(row?.state !== 'busy' && row?.state !== 'waiting', 'a row seems alive');
      }
    }
    for (const { approvalId, command } of this.answered) {
      const grants = this.grants.filter(({ id }) => id === approvalId);
      assert.deepEqual(grants, [{ id: approvalId, command }], 'answered once, and what was drawn');
    }
    const granted = this.grants.map(({ id }) => id);
    assert.equal(new Set(granted).size, granted.length, 'answered twice');
  }

  /** Each prompt that was accepted is in its conversation, once. */
  async checkTexts(): Promise<void> {
    const { window } = this.open[0] ?? assert.fail();
    for (const id of this.ids) {
      if (this.deleted.has(id) || ![...this.accepted.values()].includes(id)) continue;
      const opening = window.chats.open(id);
      this.run(opening);
      await this.settle();
      const lines = outline(await opening);
      const queued = (await opening).view.queue.map(({ text }) => `prompt: ${text}`);
      for (const [text, of] of this.accepted) {
        if (of !== id) continue;
        const found = [...lines, ...queued].filter((line) => line === `prompt: ${text}`);
        assert.equal(found.length, 1, `${text} is there ${found.length} times`);
      }
    }
  }
}

function tellOf({ need, state }: ConversationRow): Pick<ConversationRow, 'state' | 'need'> {
  return { state, need };
}

describe('Three windows on two folders', () => {
  it('answer each approval once and as it was shown, tell the same within two seconds, and lose nothing, in any order', async function () {
    this.timeout(90_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
        async (parts) => {
          const world = await World.create();
          try {
            await world.take({ kind: 'start', window: 0, conversation: 0, waitMs: 200 });
            for (const part of parts) {
              for (const one of part) await world.take(one);
              await world.check();
            }
            await world.checkTexts();
          } finally {
            await world.remove();
          }
        },
      ),
      { numRuns: 30, interruptAfterTimeLimit: 60_000, endOnFailure: true },
    );
  });
});
