import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileDiagnostics, ReadTextOptions, TextFile } from '../../../../src/editor/common/editorPort';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { until } from '../../../support/eventually';
import { AmpHarness } from './support/ampHarness';
import type { AmpTestClient } from './support/ampTestClient';

const requests = {
  ping: { ping: { message: 'x' } },
  small: { readFile: { path: 'a.ts' } },
  large: { readFile: { path: 'large.ts' } },
  missing: { readFile: { path: 'none.ts' } },
  edit: { editFile: { path: 'edited.ts', fullContent: 'x' } },
  problems: { getDiagnostics: { path: '/ws' } },
  unknown: { made: {} },
} as const;
type RequestKind = keyof typeof requests;

/** What a schedule does, in its order, to the server and to one of its clients. */
type Step =
  | { readonly kind: 'send'; readonly client: number; readonly request: RequestKind; readonly count: number }
  | { readonly kind: 'disconnect' | 'stopReading' | 'readOn' | 'garbage'; readonly client: number }
  /** The disk or VS Code stops answering, and goes on. */
  | { readonly kind: 'stall' | 'goOn' }
  /** The clock goes on by that much while nobody could do anything, as when the machine was asleep. */
  | { readonly kind: 'pass'; readonly ms: number }
  /** All of the above in one: what is being worked on stalls until long after its time. */
  | { readonly kind: 'sleep'; readonly turns: number }
  /** The server and the clients get something done. */
  | { readonly kind: 'work'; readonly turns: number };

const client = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      client,
      request: fc.constantFrom<RequestKind>('ping', 'small', 'large', 'missing', 'edit', 'problems', 'unknown'),
      count: fc.integer({ min: 1, max: 20 }),
    }),
  },
  fc.record({ kind: fc.constantFrom('disconnect', 'stopReading', 'readOn', 'garbage'), client }),
  fc.record({ kind: fc.constantFrom('stall', 'goOn') }),
  fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1, 500, 1799, 1800, 2500) }),
  fc.record({ kind: fc.constant('sleep'), turns: fc.nat(30) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('work'), turns: fc.integer({ min: 1, max: 30 }) }) },
);

/** Goes on with what was given up, as long as it can. */
class StubbornEditor extends FakeEditor {
  override readText(path: string, { maxBytes }: ReadTextOptions = {}): Promise<TextFile> {
    return super.readText(path, maxBytes === undefined ? {} : { maxBytes });
  }

  override diagnostics(path?: string): Promise<FileDiagnostics[]> {
    return super.diagnostics(path);
  }
}

/** A server with three clients, whose editor can stall. */
class Scene {
  private readonly clients: AmpTestClient[] = [];
  private readonly stalled: (() => void)[] = [];
  private isStalled = false;

  private constructor(
    private readonly harness: AmpHarness,
    private readonly clock: FakeClock,
  ) {}

  static async open(): Promise<Scene> {
    const clock = new FakeClock();
    const files = { '/ws/a.ts': 'a', '/ws/edited.ts': '', '/ws/large.ts': 'x'.repeat(1024 * 1024) };
    const editor = new StubbornEditor(files);
    const scene = new Scene(await AmpHarness.start(editor, { clock }), clock);
    editor.beforeRequest = () =>
      scene.isStalled ? new Promise((resolve) => scene.stalled.push(resolve)) : Promise.resolve();
    for (let i = 0; i < 3; i++) scene.clients.push(await scene.harness.connect());
    return scene;
  }

  async play(step: Step): Promise<void> {
    switch (step.kind) {
      case 'send':
        for (let i = 0; i < step.count; i++) {
          const clientRequest = { id: `${step.request} ${i}`, ...requests[step.request] };
          this.clients[step.client]?.socket.send(JSON.stringify({ clientRequest }), () => undefined);
        }
        return;
      case 'garbage':
        this.clients[step.client]?.socket.send('{', () => undefined);
        return;
      case 'disconnect':
        this.clients[step.client]?.terminate();
        return;
      case 'stopReading':
        this.clients[step.client]?.socket.pause();
        return;
      case 'readOn':
        this.clients[step.client]?.socket.resume();
        return;
      case 'stall':
        this.isStalled = true;
        return;
      case 'goOn':
        this.goOn();
        return;
      case 'pass':
        this.clock.advance(step.ms);
        return;
      case 'sleep':
        this.isStalled = true;
        await this.work(step.turns);
        this.clock.advance(2500);
        this.goOn();
        return;
      case 'work':
        await this.work(step.turns);
    }
  }

  /** A client that comes now is answered without any time passing, whatever the others do. */
  async assertServes(): Promise<void> {
    this.goOn();
    for (const { socket } of this.clients) socket.resume();
    const fresh = await this.harness.connect();
    const answers = await Promise.all(
      (['ping', 'small', 'large', 'edit', 'problems'] as const).map((kind) =>
        fresh.send((id) => ({ id, ...requests[kind] })),
      ),
    );
    for (const { error } of answers) assert.equal(error, undefined);
    fresh.terminate();
  }

  /** Nothing is held for anybody once all have their answers or have gone. */
  async assertHoldsNothing(): Promise<void> {
    const { server } = this.harness;
    await until(
      'all are answered',
      () => server.resourceUsage.requests === 0 && server.resourceUsage.unreadBytes === 0,
    );
    assert.deepEqual(server.resourceUsage, { requests: 0, turns: 0, unreadBytes: 0 });
    // The heartbeat, and the watch on failing answers.
    assert.equal(this.clock.pending, server.failureCountsIfFailing ? 2 : 1);
  }

  async close(): Promise<void> {
    this.goOn();
    for (const { socket } of this.clients) socket.terminate();
    await until('all have gone', () => this.harness.server.clients.length === 0);
    await this.assertHoldsNothing();
    await this.harness.close();
    assert.equal(this.clock.pending, 0);
  }

  private async work(turns: number): Promise<void> {
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
  }

  private goOn(): void {
    this.isStalled = false;
    for (const release of this.stalled.splice(0)) release();
  }
}

describe('what the Amp server holds for a request', () => {
  const play = async (steps: readonly Step[]): Promise<void> => {
    const scene = await Scene.open();
    try {
      for (const each of steps) await scene.play(each);
      await scene.assertServes();
      await scene.assertHoldsNothing();
    } finally {
      await scene.close();
    }
  };

  it('is released with the request in every case', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), play), { numRuns: 60 });
  });

  it('goes although the editor stalls while large files are read', async () => {
    await play([
      { kind: 'stall' },
      { kind: 'send', client: 0, request: 'large', count: 4 },
      { kind: 'sleep', turns: 30 },
      { kind: 'work', turns: 30 },
    ]);
  });

  it('goes with a client that leaves while the editor stalls', async () => {
    const scene = await Scene.open();
    await scene.play({ kind: 'stall' });
    for (const request of ['large', 'problems', 'edit'] as const) {
      await scene.play({ kind: 'send', client: 0, request, count: 8 });
    }
    await scene.play({ kind: 'work', turns: 30 });
    await scene.play({ kind: 'disconnect', client: 0 });
    // The editor is still stalled.
    await scene.assertHoldsNothing();
    await scene.close();
  });
});

describe('the health of the Amp server', () => {
  it('is told while requests are answered too late, and no longer once they are answered', async () => {
    const clock = new FakeClock();
    const editor = new FakeEditor({ '/ws/a.ts': 'a' });
    const harness = await AmpHarness.start(editor, { clock });
    const connected = await harness.connect();
    const told: unknown[] = [];
    harness.server.onDidChangeStatus(() => told.push(harness.server.failureCountsIfFailing));
    let asked = 0;
    editor.beforeRequest = () => {
      asked++;
      return new Promise(() => undefined);
    };
    const answers = Array.from({ length: 4 }, () => connected.ask('readFile', { path: 'a.ts' }));
    await until('all wait', () => asked === 4);
    clock.advance(1800);
    for (const { error } of await Promise.all(answers)) assert.equal(error?.code, -32_603);
    assert.deepEqual(harness.server.failureCountsIfFailing, { failedCount: 4, totalCount: 4 });
    editor.beforeRequest = () => Promise.resolve();
    for (let i = 0; i < 20; i++) await connected.ask('readFile', { path: 'missing.ts' });
    clock.advance(5_000);
    assert.equal(harness.server.failureCountsIfFailing, undefined);
    assert.ok(told.length >= 2 && told.at(-1) === undefined);
    await harness.close();
    assert.equal(clock.pending, 0);
  });
});
