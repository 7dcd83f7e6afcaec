import assert from 'node:assert/strict';
import { AgentBackendRegistry } from '../../../../src/acp/node/catalogue/agentBackendRegistry';
import type { CatalogueEntry, ProcessEntry, UrlEntry } from '../../../../src/acp/node/catalogue/agentCatalogue';
import { AgentsPort } from '../../../../src/acp/vscode/agentsPort';
import { nullLogger } from '../../../../src/base/common/log';
import type { AgentBackend } from '../../../../src/acp/common/agentBackend';
import { answeringConsent } from '../../../fake/answeringConsent';

const shared = { mcpServers: {}, missingFile: 'error', source: 'configured' } as const;
const program = { ...shared, command: 'agent', args: [], env: {} };
const setting = { command: 'agent', args: [], env: {}, dialect: 'v1' as const, mcpServers: {} };
const own: ProcessEntry = { ...program, id: 'own', title: 'Own', dialect: 'v1' };
const draft: ProcessEntry = { ...program, id: 'draft', title: 'Draft', dialect: 'draft' };
const changedDraft: ProcessEntry = { ...draft, id: 'changed' };
const far: UrlEntry = { ...shared, id: 'far', title: 'Far', url: 'https://far.example.com/acp', headers: {} };
const workspaceDefinition = { name: 'theirs', setting, file: undefined };
const theirs: ProcessEntry = { ...own, id: 'theirs', workspaceDefinition };

function backendOf({ id, title }: CatalogueEntry): AgentBackend {
  const unused = (): Promise<never> => Promise.reject(new Error('not used in this test'));
  return {
    id,
    title,
    hasLlmProviders: true,
    state: { kind: 'ready' },
    onDidChangeState: () => ({ dispose: () => undefined }),
    capabilities: unused,
    createSession: unused,
    listSessions: unused,
    loadSession: unused,
    deleteSession: unused,
    retire: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    dispose: () => undefined,
  };
}

describe('the card of an agent', () => {
  it('offers LLM providers only where the command can change or remove them', async () => {
    const agents = [own, far, theirs, draft, changedDraft];
    const registry = new AgentBackendRegistry({
      loadCatalogue: () => Promise.resolve({ agents, problems: [] }),
      createBackend: (entry) => Promise.resolve(backendOf(entry)),
      isTrusted: () => true,
      agentConsent: { consent: answeringConsent('allowed'), places: () => ({ cwd: '/', folders: [] }) },
      needsSignIn: () => false,
      isWorking: () => false,
      onDidPostpone: () => undefined,
      log: nullLogger,
    });
    const port = new AgentsPort({
      registry,
      origins: { holderOf: () => undefined },
      getLauncher: () => assert.fail('nothing starts'),
      loadedLauncher: () => undefined,
      hasChangedProviders: (id) => id === 'changed',
      environment: () => ({}),
      guardProcess: () => ({ dispose: () => undefined }),
    });
    for (const { id } of agents) await registry.open(id);
    const listed = await port.list();
    assert.deepEqual(
      listed.filter(({ hasLlmProviders }) => hasLlmProviders).map(({ id }) => id),
      ['own', 'far', 'changed'],
    );
    registry.dispose();
  });
});
