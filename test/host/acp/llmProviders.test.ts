import assert from 'node:assert/strict';
import { ProviderStore } from '../../../src/acp/common/providers/providerStore';
import { LlmProviderServices } from '../../../src/acp/vscode/providers/providerServices';
import type { Disposable } from '../../../src/base/common/disposable';
import { Emitter } from '../../../src/base/common/event';
import { nullLogger } from '../../../src/base/common/log';
import { Commands } from '../../../src/platform/vscode/commands';
import { Messages } from '../../../src/platform/vscode/messages';
import { FakeSecrets } from '../../fake/fakeSecrets';
import { MemoryMemento } from '../../fake/memoryMemento';
import { until } from '../../support/eventually';
import { AgentsUnderTest, extendedDemoAgent } from '../support/agents';
import { closeAll } from '../support/workspace';

const gateway = {
  kind: 'address',
  apiType: 'openai',
  baseUrl: 'https://gateway.example.com/v1',
  headers: [{ name: 'Authorization', value: 'Bearer sk-gateway-123' }],
} as const;

describe('the LLM providers of an agent, changed in another window', () => {
  let agents: AgentsUnderTest;
  let other: ProviderStore;
  let running: Disposable;
  let isWorking: boolean;
  const ends = new Emitter<void>((error) => assert.fail(String(error)));
  const warnings: string[] = [];

  beforeEach(() => {
    isWorking = false;
    const deps = { secrets: new FakeSecrets(), memento: new MemoryMemento(), log: nullLogger };
    const services = new LlmProviderServices({ ...deps, isWorking: () => isWorking, onDidEndTurn: ends.event });
    other = new ProviderStore(deps);
    const args = [extendedDemoAgent(), '--providers'];
    agents = new AgentsUnderTest({
      entries: [{ id: 'routed', title: 'Routed agent', args }],
      providersOf: (id) => services.choicesForStart(id),
    });
    class RecordedMessages extends Messages {
      override warning(message: string): void {
        warnings.push(message);
      }
    }
    running = services.start(agents.registry, new Commands(nullLogger), new RecordedMessages(nullLogger));
  });
  afterEach(async () => {
    running.dispose();
    other.dispose();
    await agents.dispose();
    await closeAll();
  });

  async function addressOf(): Promise<string | undefined> {
    const backend = await agents.registry.open('routed');
    const providers = await backend.llmProviders?.(new AbortController().signal);
    return providers?.find(({ id }) => id === 'main')?.current?.baseUrl;
  }

  it('apply to an agent that has nothing to do, at its next start', async () => {
    assert.equal(await addressOf(), 'https://llm.example.com/v1?key=demo');
    const backend = await agents.registry.open('routed');
    await other.set('routed', 'main', gateway);
    await until('the end of the agent', () => backend.state.kind === 'stopped');
    assert.equal(await addressOf(), gateway.baseUrl);
    await other.deleteAll('routed');
    await until('the end of the agent', () => backend.state.kind === 'stopped');
    assert.equal(await addressOf(), 'https://llm.example.com/v1?key=demo');
  });

  it('stop an agent that works when its turn has ended, and not one that has them already', async () => {
    await addressOf();
    const backend = await agents.registry.open('routed');
    isWorking = true;
    await other.set('routed', 'main', gateway);
    await until('the warning', () => warnings.length === 1);
    assert.match(warnings[0] ?? '', /Routed agent were changed\. It uses them after/);
    assert.equal(backend.state.kind, 'ready');
    isWorking = false;
    ends.fire();
    await until('the end of the agent', () => backend.state.kind === 'stopped');
    isWorking = true;
    assert.equal(await addressOf(), gateway.baseUrl);
    await other.set('routed', 'main', gateway);
    await other.set('routed', 'summaries', { kind: 'disabled' });
    await until('the second warning', () => warnings.length === 2);
  });
});
