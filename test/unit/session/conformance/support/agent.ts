import type { BackendSession, SessionBackend } from '../../../../../src/session/common/sessionBackend';

/** What the agent behind a backend does in a turn, in the words of its wire. What the wire cannot carry is absent. */
export interface Agent {
  say(text: string): Promise<void>;
  /** What is said after it is another block. */
  endBlock?(): Promise<void>;
  think?(text: string): Promise<void>;
  /** A whole call of a tool that succeeds. */
  use?(call: string): Promise<void>;
  /** One that fails. */
  misuse?(call: string): Promise<void>;
  /** Begins a call that stays open until `end`. */
  begin?(call: string): Promise<void>;
  end?(call: string): Promise<void>;
  /** A call that the user is asked about. Resolves when it was answered and has ended. */
  ask?(call: string): Promise<void>;
  /** Resolves when the agent is told to stop; never where the wire has no word for it. */
  untilStopped(): Promise<void>;
  /** The process is gone, or the server with all that it knew. */
  lose?(): Promise<void>;
}

/** One turn. It ends well when the script resolves, and fails when it throws. */
export type Script = (agent: Agent) => Promise<void>;

/** What a scenario needs of a backend; the rest all of them have. */
export type Need =
  | Exclude<keyof Agent, 'say' | 'untilStopped'>
  /** A question may be left open when the turn ends. */
  | 'leaveOpen'
  | 'failTurn'
  /** The end of a turn that was stopped is another one. */
  | 'saysStopped'
  /** What a turn used is told. */
  | 'usage'
  /** There is something to set. */
  | 'settings'
  /** A session that is taken up tells what was said before. */
  | 'history'
  /** A session can be taken up by somebody else while a turn is open. */
  | 'takenUp'
  /** A turn can begin without a prompt of the session. */
  | 'others';

export interface OpenOptions {
  /** How long a question may wait. */
  readonly deadlineMs?: number;
}

export interface Opened {
  readonly backend: SessionBackend;
  /** What the next prompts are answered by. Absent where the agent has a mind of its own. */
  play?(script: Script): void;
  /** Takes up a session with one turn: the prompt "before", the answer "Earlier." */
  takeUpHistory?(): Promise<BackendSession>;
  /** Takes up the session as another window does. */
  takeUp?(session: BackendSession): Promise<BackendSession>;
  /** Begins a turn that the session has not asked for: the agent's own, or that of another client. */
  beginOther?(session: BackendSession, script: Script): Promise<void>;
  /** Of a clock that the test has; it passes by itself elsewhere. */
  passDeadline?(): void;
  close(): Promise<void>;
}

export interface Conforming {
  readonly title: string;
  /** Absolute; where sessions work. */
  readonly cwd: () => string;
  /** What there is no way to do, and why. */
  readonly cannot: Readonly<Partial<Record<Need, string>>>;
  open(options: OpenOptions): Promise<Opened>;
}
