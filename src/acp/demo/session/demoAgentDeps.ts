import type { DemoTurns } from './demoTurns';
import type { DemoSessions } from './sessions';

/** What the agents of all versions share. */
export interface DemoAgentDeps {
  readonly name: string;
  readonly version: string;
  readonly sessions: DemoSessions;
  readonly turns: DemoTurns;
  readonly warn: (message: string) => void;
}
