import type * as z from 'zod';
import type { Memento } from '../../../base/common/memento';

const maxAgents = 100;

export interface AgentRecordsDeps {
  readonly memento: Memento;
  /** Name of the stored value. */
  readonly mementoName: string;
  readonly onError: (error: unknown) => void;
}

/** One small record for each of the newest agents, in one stored value for all windows. What can't be read is ignored. */
export class AgentRecords<T> {
  constructor(
    private readonly deps: AgentRecordsDeps,
    private readonly schema: z.ZodType<Record<string, T>>,
  ) {}

  /** `agentKey` identifies the agent and how it is started. */
  get(agentKey: string): T | undefined {
    const { all } = this;
    return Object.hasOwn(all, agentKey) ? all[agentKey] : undefined;
  }

  /** Undefined removes the record. */
  set(agentKey: string, record: T | undefined): void {
    const others = Object.entries(this.all).filter(([name]) => name !== agentKey);
    const newest = [...others, ...(record === undefined ? [] : [[agentKey, record] as const])].slice(-maxAgents);
    const { memento, mementoName, onError } = this.deps;
    Promise.resolve(memento.update(mementoName, Object.fromEntries(newest))).catch(onError);
  }

  private get all(): Record<string, T> {
    return this.schema.safeParse(this.deps.memento.get(this.deps.mementoName)).data ?? {};
  }
}
