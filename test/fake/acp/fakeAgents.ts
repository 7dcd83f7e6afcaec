import type {
  AgentBackends,
  AgentSecrets,
  Installer,
  InstallOptions,
  RegistrySource,
} from '../../../src/agents/common/agentPorts';
import type {
  ImpossiblePlan,
  InstalledAgent,
  InstallPlan,
  InstallProgress,
} from '../../../src/agents/common/install/agentInstall';
import { completeTerms, termsOfPackage, type InstallTerms } from '../../../src/agents/common/terms/installTerms';
import type { ListedBackend, RegistryState } from '../../../src/agents/common/page/agentsSituation';
import type { RegistryAgent } from '../../../src/agents/common/registry/registryAgent';
import { Emitter } from '../../../src/base/common/event';

const throwIt = (error: unknown): void => {
  throw error;
};

export const registryAgent = (
  id: string,
  version = '1.0.0',
  npx: { readonly name?: string; readonly args?: string[]; readonly env?: Record<string, string> } = {},
): RegistryAgent => ({
  id,
  name: id,
  version,
  description: '',
  authors: [],
  license: 'MIT',
  distributions: [{ kind: 'npx', package: `${npx.name ?? id}@${version}`, args: npx.args ?? [], env: npx.env ?? {} }],
});

/** A registry whose list the test sets. */
export class FakeRegistry implements RegistrySource {
  private readonly emitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  refreshes = 0;
  /** What the next refresh finds. */
  next: RegistryState;

  constructor(
    public state: RegistryState,
    private readonly now: () => number = () => 0,
  ) {
    this.next = state;
  }

  registryState = (): RegistryState => this.state;
  loadCached = (): Promise<void> => Promise.resolve();
  refresh(): Promise<void> {
    this.refreshes++;
    this.state = this.next;
    this.emitter.fire();
    return Promise.resolve();
  }
  async refreshIfDue(): Promise<void> {
    const { checkedAt } = this.state;
    const ageMs = checkedAt === undefined ? -1 : this.now() - checkedAt;
    if (ageMs < 0 || ageMs >= 24 * 60 * 60_000) await this.refresh();
  }
  icon = (): Promise<undefined> => Promise.resolve(undefined);
}

/** Installs by noting it. `during` runs while it installs. */
export class FakeInstaller implements Installer {
  private readonly emitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  agents: readonly InstalledAgent[] = [];
  readonly calls: string[] = [];
  during: (signal: AbortSignal, report: (progress: InstallProgress) => void) => Promise<void> = () => Promise.resolve();
  problem: Pick<ImpossiblePlan, 'problem' | 'advice'> | undefined;

  installed = (): readonly InstalledAgent[] => this.agents;

  plan(agent: RegistryAgent): Promise<InstallPlan | ImpossiblePlan> {
    const { id, name, version } = agent;
    this.calls.push(`plan ${id} ${version}`);
    const address = `https://registry.example/${id}`;
    const planned = { id, name, version, kind: 'npx' as const };
    if (this.problem) return Promise.resolve({ ...planned, ...this.problem });
    const distribution = agent.distributions.find(({ kind }) => kind === 'npx');
    if (distribution?.kind !== 'npx') throw new Error('The fake installs npm packages only.');
    const terms = completeTerms(termsOfPackage(distribution), address, 'MIT');
    return Promise.resolve({ ...planned, address, commandLine: id, terms });
  }

  async install(
    { id, name, version }: RegistryAgent,
    { agreed: terms, onProgress, signal }: InstallOptions & { readonly agreed: InstallTerms },
  ): Promise<InstalledAgent> {
    this.calls.push(`install ${id} ${version}`);
    await this.during(signal, onProgress);
    const folder = `/agents/${id}/${version}`;
    const agent: InstalledAgent = {
      id,
      name,
      version,
      kind: 'npx',
      package: terms.source,
      command: '/node',
      args: [`${folder}/bin.js`],
      env: {},
      terms,
      folder,
      bytes: 312_000_000,
      installedAt: 0,
    };
    this.agents = [...this.agents.filter((other) => other.id !== id), agent];
    this.emitter.fire();
    return agent;
  }

  removeUnusedVersions(): Promise<void> {
    this.calls.push('remove unused');
    return Promise.resolve();
  }

  async remove(id: string, { onProgress, signal }: InstallOptions): Promise<{ bytes: number }> {
    this.calls.push(`remove ${id}`);
    await this.during(signal, onProgress);
    this.agents = this.agents.filter((agent) => agent.id !== id);
    this.emitter.fire();
    return { bytes: 312_000_000 };
  }

  async changeAccounts(
    id: string,
    change: (names: readonly string[]) => readonly string[],
    { onProgress, signal }: InstallOptions,
  ): Promise<void> {
    await this.during(signal, onProgress);
    this.agents = this.agents.map((agent) =>
      agent.id === id ? { ...agent, accounts: [...change(agent.accounts ?? [])] } : agent,
    );
    this.emitter.fire();
  }
}

export class FakeAgentBackends implements AgentBackends {
  private readonly changeEmitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.changeEmitter.event;
  private readonly endEmitter = new Emitter<void>(throwIt);
  readonly onDidEndTurn = this.endEmitter.event;
  readonly working = new Set<string>();
  readonly stopped: string[] = [];
  listed: readonly ListedBackend[] = [];

  list = (): Promise<readonly ListedBackend[]> => Promise.resolve(this.listed);
  stateOf = (backendId: string): ListedBackend['state'] => this.listed.find(({ id }) => id === backendId)?.state;
  backendIdOf = ({ account, id }: { id: string; account?: string | undefined }): string =>
    account === undefined ? id : `${id}~${account}`;
  isWorking = (backendId: string): boolean => this.working.has(backendId);
  stop(backendId: string): Promise<void> {
    this.stopped.push(backendId);
    return Promise.resolve();
  }

  become(...listed: readonly ListedBackend[]): void {
    this.listed = listed;
    this.changeEmitter.fire();
  }

  endTurn(backendId: string): void {
    this.working.delete(backendId);
    this.endEmitter.fire();
  }
}

export class FakeAgentSecrets implements AgentSecrets {
  readonly values = new Map<string, Record<string, string>>();

  variablesOf = (id: string): Promise<string[]> => Promise.resolve(Object.keys(this.values.get(id) ?? {}));
  keysOf = (id: string): Promise<Record<string, string>> => Promise.resolve(this.values.get(id) ?? {});
  setSecret(id: string, variable: string, value: string): Promise<void> {
    this.values.set(id, { ...this.values.get(id), [variable]: value });
    return Promise.resolve();
  }
  deleteSecret(id: string, variable: string): Promise<void> {
    const others = Object.entries(this.values.get(id) ?? {}).filter(([name]) => name !== variable);
    this.values.set(id, Object.fromEntries(others));
    return Promise.resolve();
  }
  deleteAll(id: string): Promise<void> {
    this.values.delete(id);
    return Promise.resolve();
  }
  readonly copied: (readonly [fromId: string, toId: string])[] = [];
  copyProviders(fromId: string, toId: string): Promise<void> {
    this.copied.push([fromId, toId]);
    return Promise.resolve();
  }
}
