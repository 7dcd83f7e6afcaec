import type { DemoProviders } from './demoProviders';
import type { DemoSignIn } from './demoSignIn';
import type { DemoTurns } from './demoTurns';
import type { DemoSessions } from './sessions';

/** What the agents of all versions share. */
export interface DemoAgentDeps {
  readonly name: string;
  readonly version: string;
  readonly sessions: DemoSessions;
  readonly signIn: DemoSignIn;
  readonly turns: DemoTurns;
  /** Undefined if it offers none. */
  readonly providers: DemoProviders | undefined;
  readonly warn: (message: string) => void;
}
