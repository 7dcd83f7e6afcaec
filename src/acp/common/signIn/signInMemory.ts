import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import type { BackendState } from '../../../session/common/sessionBackend';

const mementoName = 'backline.agentsWithoutSignIn';
const Ids = z.array(z.string()).catch([]);

/** Remembers which agents need a sign-in, so that a new window shows it without starting them. */
export class SignInMemory {
  constructor(private readonly memento: Memento) {}

  needsSignIn(agentId: string): boolean {
    return this.ids.includes(agentId);
  }

  /** Updates the memory from the state of a running agent: it needs a sign-in, or works without one. */
  async update(agentId: string, state: BackendState): Promise<void> {
    const isMissing = state.kind === 'authRequired';
    if ((!isMissing && state.kind !== 'ready') || isMissing === this.needsSignIn(agentId)) return;
    await this.set(agentId, isMissing);
  }

  async forget(agentId: string): Promise<void> {
    if (this.needsSignIn(agentId)) await this.set(agentId, false);
  }

  private get ids(): readonly string[] {
    return Ids.parse(this.memento.get(mementoName) ?? []);
  }

  private async set(agentId: string, isMissing: boolean): Promise<void> {
    const others = this.ids.filter((id) => id !== agentId);
    await this.memento.update(mementoName, isMissing ? [...others, agentId] : others);
  }
}
