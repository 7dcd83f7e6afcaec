import { messageOf } from '../../../base/common/errors';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { commandIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Messages } from '../../../platform/vscode/messages';
import type { AuthKeyVariable } from '../../../session/common/sessionBackend';
import { keyUseOfKnownAgent } from '../../common/signIn/agentKeys';
import { AgentKeyStore } from '../../common/signIn/agentKeyStore';
import type { AgentSecretStoreDeps } from '../../common/signIn/agentSecretStore';
import { keyMethodId } from '../../common/signIn/signInWays';
import { secretNamesIn } from '../../common/remote/agentHeaders';
import { SignInMemory } from '../../common/signIn/signInMemory';
import type { AgentBackendRegistry } from '../../node/catalogue/agentBackendRegistry';
import type { SignInDialogs } from '../accountDialogs';
import type { SignInAgents } from './signInFlow';

/** Access of other features to the keys of agents. */
export interface AgentKeysPort {
  /** Removes all keys of an agent, for example because it was removed. */
  deleteAll(agentId: string): Promise<void>;
  /**
   * Stores a secret of one of the user's agents.
   * @throws Error with a sentence for the user if the variable or the key is not allowed
   */
  setSecret(agentId: string, variable: string, secret: string): Promise<void>;
  deleteSecret(agentId: string, variable: string): Promise<void>;
  /** The variables that secrets are stored for. */
  variablesOf(agentId: string): Promise<readonly string[]>;
  /**
   * Returns the stored secrets by variable, for testing a command.
   * @throws Error if secrets are stored that cannot be read
   */
  keysOf(agentId: string): Promise<Readonly<Record<string, string>>>;
}

/** Stores the keys of agents and the state of their sign-ins, and provides the commands for both. */
export class SignInServices {
  readonly keys: AgentKeyStore;
  readonly memory: SignInMemory;
  private loadingDialogs: Promise<SignInDialogs> | undefined;

  constructor(private readonly deps: AgentSecretStoreDeps) {
    this.keys = new AgentKeyStore(deps);
    this.memory = new SignInMemory(deps.memento);
  }

  get agentKeysPort(): AgentKeysPort {
    const { keys, memory } = this;
    return {
      deleteAll: async (agentId) => {
        await keys.deleteAll(agentId);
        await memory.forget(agentId);
      },
      setSecret: (agentId, variable, secret) => keys.set(agentId, variable, secret),
      deleteSecret: (agentId, variable) => keys.delete(agentId, variable),
      variablesOf: (agentId) => keys.variablesOf(agentId),
      keysOf: (agentId) => keys.keysOf(agentId),
    };
  }

  start(registry: AgentBackendRegistry, commands: Commands, messages: Messages): Disposable {
    const { keys } = this;
    const knownIdOf = (id: string): string | undefined => registry.entryOf(id)?.knownAs;
    const agents: SignInAgents = {
      list: () => registry.list(),
      openBackend: (id) => registry.backendOf(id),
      stop: (id) => registry.stop(id),
      open: (id) => registry.open(id),
      mayHaveKeys: (id) => {
        const entry = registry.entryOf(id);
        return entry !== undefined && !entry.workspaceDefinition;
      },
      hasUrl: (id) => registry.entryOf(id)?.url !== undefined,
      isProvenBySession: (id) => keyUseOfKnownAgent(knownIdOf(id)).refuses === 'session',
    };
    const knownKeys = (id: string): readonly AuthKeyVariable[] => {
      const entry = registry.entryOf(id);
      if (entry?.url === undefined) return keyUseOfKnownAgent(knownIdOf(id)).keys;
      return secretNamesIn(entry.headers).map((variable) => ({ variable, name: variable }));
    };
    const loadDialogs = (): Promise<SignInDialogs> =>
      (this.loadingDialogs ??= import('../accountDialogs').then(({ createSignInDialogs }) =>
        createSignInDialogs({ agents, keys, messages, knownKeys }),
      ));
    const store = new DisposableStore();
    store.add(keys);
    keys.start();
    store.add(
      keys.onDidChange((id) => {
        this.useStoredKey(registry, id, loadDialogs).catch((error: unknown) => {
          this.deps.log.info(`The stored key was not enough to sign in: ${messageOf(error)}`);
        });
      }),
    );
    store.add(registry.onDidChange(() => this.rememberSignInNeeds(registry)));
    store.add(commands.setHandler(commandIds.acpSignIn, async (id) => (await loadDialogs()).flow.signIn(id)));
    store.add(commands.setHandler(commandIds.acpSignOut, async (id) => (await loadDialogs()).keyCommands.signOut(id)));
    store.add(
      commands.setHandler(commandIds.acpManageKeys, async (id) => (await loadDialogs()).keyCommands.manageKeys(id)),
    );
    return store;
  }

  private rememberSignInNeeds(registry: AgentBackendRegistry): void {
    for (const { id, state } of registry.backends) {
      this.memory.update(id, state).catch((error: unknown) => {
        this.deps.log.warn(`Could not remember which agents need a sign-in: ${messageOf(error)}`);
      });
    }
  }

  /** Signs in with the key that this window or another one has just stored, if the agent waits for a sign-in. */
  private async useStoredKey(
    registry: AgentBackendRegistry,
    agentId: string,
    loadDialogs: () => Promise<SignInDialogs>,
  ): Promise<void> {
    const backend = registry.backendOf(agentId);
    const dialogs = await this.loadingDialogs;
    if (backend?.state.kind !== 'authRequired' || dialogs?.flow.isSigningInWithKey(agentId) === true) return;
    const [variable] = await this.keys.variablesOf(agentId);
    if (variable !== undefined) await (await loadDialogs()).flow.authenticate(backend, keyMethodId(variable));
  }
}
