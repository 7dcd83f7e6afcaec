import assert from 'node:assert/strict';
import { ProviderWorker } from '../../../src/context/node/worker/providerWorker';
import { WorkerProgress } from '../../../src/context/node/workers/workerProgress';
import type { ProviderWorkerRequest } from '../../../src/context/node/providerWorkerMessages';
import { until } from '../../support/eventually';

const provider = 'export default { capabilities: () => ({}), items: () => [] };';

const capabilitiesOf = (id: number, source: string): ProviderWorkerRequest => ({
  id,
  provider: id,
  // The comment makes it a module of its own.
  module: { specifier: `data:text/javascript,${encodeURIComponent(`${source}// ${id} ${Math.random()}`)}` },
  body: { method: 'capabilities', settings: {} },
});

describe('the program of a worker', () => {
  let posted: number[][];
  let worker: ProviderWorker;

  beforeEach(() => {
    posted = [];
    worker = new ProviderWorker({
      progress: new WorkerProgress(),
      guard: undefined,
      runAs: (_provider, work) => work(),
      post: (messages) => {
        const answers = messages.flatMap((message) => ('id' in message ? [message.id] : []));
        if (answers.length > 0) posted.push(answers);
      },
    });
  });

  const handle = (requests: readonly ProviderWorkerRequest[], isContinued = false): void =>
    worker.handleBatch({ requests, isContinued });

  it('posts several answers at once when it loads modules one after another', async () => {
    let lastId = 0;
    // On a busy machine, each module may take so long that its answer is posted alone.
    await until('several answers are posted at once', async () => {
      posted = [];
      handle(Array.from({ length: 5 }, () => capabilitiesOf(++lastId, provider)));
      await until('all answers are posted', () => posted.flat().length === 5);
      return posted.length < 5;
    });
  });

  it('posts answers while it loads another module that never finishes', async () => {
    handle([capabilitiesOf(1, provider), capabilitiesOf(2, `await new Promise(() => {});${provider}`)]);
    await until('the first answer is posted', () => posted.length > 0);
    handle([{ id: 3, provider: 1, body: { method: 'capabilities', settings: {} } }]);
    await until('the second answer is posted', () => posted.length > 1);
    assert.deepEqual(posted, [[1], [3]]);
  });

  it('posts why a module could not be loaded, together with other answers', async () => {
    handle([capabilitiesOf(1, 'throw new Error("no");'), capabilitiesOf(2, provider)]);
    await until('both answers are posted', () => posted.flat().length === 2);
    assert.deepEqual(posted.flat(), [1, 2]);
  });

  it('posts the answers to a batch together with those to the batch that continues it', async () => {
    handle([capabilitiesOf(1, provider), capabilitiesOf(2, provider)]);
    await until('both are loaded', () => posted.flat().length === 2);
    posted = [];
    const again = (id: number, to: number): ProviderWorkerRequest => ({
      id,
      provider: to,
      body: { method: 'capabilities', settings: {} },
    });
    handle([again(3, 1)], true);
    await new Promise(setImmediate);
    assert.deepEqual(posted, []);
    handle([again(4, 2)]);
    handle([again(5, 1)], true);
    handle([]);
    assert.deepEqual(posted, [[3, 4], [5]]);
  });
});
