import * as z from 'zod';
import { AgentRecords, type AgentRecordsDeps } from './agentRecords';

/** What is known about one version of an agent and the window's tools. Some agents fail each session that has them. */
export type WindowToolsState =
  | 'unknown'
  /** A session with them was opened, so other failures have other reasons. */
  | 'working'
  /** A session failed with them, and was opened without them. That can be chance. */
  | 'suspected'
  /** Sessions have failed with them again, so the agent no longer gets them. */
  | 'failing';

export type WindowToolsEvent = 'openedWith' | 'openedWithout';

/** `before`: the state when the session began to open. Sessions that fail at the same time count as one failure. */
export function nextWindowToolsState(
  state: WindowToolsState,
  event: WindowToolsEvent,
  before: WindowToolsState,
): WindowToolsState {
  if (event === 'openedWith') return 'working';
  if (state === 'unknown') return 'suspected';
  return state === 'suspected' && before === 'suspected' ? 'failing' : state;
}

const Record = z.object({ version: z.string(), state: z.enum(['working', 'failing']) });
const Records = z.record(z.string(), Record);

/** The memory for one agent and the way it is started. */
export interface WindowToolsMemory {
  /** What is stored for this version of the agent. */
  read(version: string): WindowToolsState | undefined;
  /** Stores what is certain, for all windows. */
  write(version: string, state: WindowToolsState): void;
  forget(): void;
}

/** Remembers which agents work with the window's tools, and which fail with them. */
export class WindowToolsStore {
  private readonly records: AgentRecords<z.infer<typeof Record>>;

  constructor(deps: AgentRecordsDeps) {
    this.records = new AgentRecords(deps, Records);
  }

  /** `agentKey` identifies the agent and how it is started. */
  memoryOf(agentKey: string): WindowToolsMemory {
    const { records } = this;
    return {
      read: (version) => {
        const record = records.get(agentKey);
        return record?.version === version ? record.state : undefined;
      },
      write: (version, state) => {
        if (state === 'working' || state === 'failing') records.set(agentKey, { version, state });
      },
      forget: () => {
        if (records.get(agentKey)) records.set(agentKey, undefined);
      },
    };
  }
}
