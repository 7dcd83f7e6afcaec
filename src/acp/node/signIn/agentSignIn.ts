import { RequestError } from '@agentclientprotocol/sdk';
import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import {
  BackendError,
  isBackendError,
  type AuthMethod,
  type BackendState,
} from '../../../session/common/sessionBackend';
import type { SignInWait } from '../../common/agentBackend';
import type { AuthStatus } from '../../common/signIn/authStatus';
import type { AgentKeyUse } from '../../common/signIn/agentKeys';
import {
  nextSignIn,
  signInWaitNotice,
  stateWithSignIn,
  unknownSignIn,
  type SignInInput,
} from '../../common/signIn/signInState';
import { signInWays, wayOfVariable, type SignInCommand, type SignInWay } from '../../common/signIn/signInWays';
import { reasonOfAgentError } from '../../common/session/agentErrorText';
import type { AcpLimits, AgentConnection } from '../connection/agentConnection';
import { isAuthRequired, toBackendError } from '../connection/agentErrors';
import type { ProcessUsers } from '../connection/processUsers';

interface AgentSignInDeps {
  readonly title: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly connection: AgentConnection;
  readonly keyUse: AgentKeyUse;
  /** Resolves with whether the command succeeded. */
  readonly runInTerminal?: (command: SignInCommand, signal: AbortSignal) => Promise<boolean>;
  /** Opens a session and closes it. @throws the agent's error */
  readonly trySession: (signal: AbortSignal) => Promise<void>;
  readonly limits: AcpLimits;
  /** The agent is not restarted while they work. */
  readonly users: ProcessUsers;
}

/** The user's sign-in to one agent. Detects that it is missing, performs and checks it, and resumes waiting prompts. */
export class AgentSignIn {
  private readonly onListenerError = (error: unknown): void =>
    this.deps.log.error('A listener of signing in failed', error);
  private readonly signedInEmitter = new Emitter<void>(this.onListenerError);
  /** Fires when the user has signed in. */
  readonly onDidSignIn = this.signedInEmitter.event;
  private readonly stateEmitter = new Emitter<BackendState>(this.onListenerError);
  /** Fires when the process or the sign-in has changed. */
  readonly onDidChangeState = this.stateEmitter.event;
  private readonly subscriptions = new DisposableStore();
  private signInState = unknownSignIn;
  private lastWays: readonly SignInWay[] = [];
  private lastAccounts: readonly string[] = [];
  /** Ends the sign-in in progress when another one begins. */
  private currentAttempt: AbortController | undefined;
  private readonly waits = new Set<(reason: BackendError) => void>();

  constructor(private readonly deps: AgentSignInDeps) {
    this.subscriptions.add(deps.connection.onDidChangeState(() => this.fireState()));
  }

  get state(): BackendState {
    const { connection, title } = this.deps;
    return stateWithSignIn(connection.state, this.signInState, title, this.methods);
  }

  /** The known ways to sign in. The agent's own ways are known only after it has started. */
  get methods(): readonly AuthMethod[] {
    return this.ways.map(({ method }) => method);
  }

  /** Records that the agent refused a session or a prompt. */
  recordRefused(error: unknown, refusedRequest: 'session' | 'prompt' = 'session'): BackendError {
    const message = this.messageOfRefusal(error);
    this.apply({ type: 'refused', what: refusedRequest, message });
    return new BackendError('authRequired', message, undefined, { cause: error });
  }

  /** Records that the agent accepted a session or a prompt. */
  recordAccepted(acceptedRequest: 'session' | 'prompt'): void {
    this.apply({ type: 'accepted', what: acceptedRequest });
  }

  /** Resets the state, because the user stopped the agent or signed out. */
  reset(): void {
    if (this.signInState.kind !== 'performing') this.apply({ type: 'reset' });
  }

  /** Resolves when the user has signed in. @throws BackendError `authRequired` after a time-out, `cancelled` */
  async waitForSignIn(
    error: unknown,
    signal?: AbortSignal,
    refusedRequest: 'session' | 'prompt' = 'session',
  ): Promise<void> {
    const required = this.recordRefused(error, refusedRequest);
    const { clock, limits } = this.deps;
    const { promise: done, reject, resolve } = Promise.withResolvers<undefined>();
    const subscription = this.signedInEmitter.event(() => resolve(undefined));
    this.waits.add(reject);
    try {
      await withDeadline(clock, 'signing in', limits.signInTimeoutMs, () => rejectOnAbort(done, signal));
    } catch (failure) {
      throw isBackendError(failure) ? failure : required;
    } finally {
      this.waits.delete(reject);
      subscription.dispose();
    }
  }

  /** Fails all that waits for a sign-in, because another backend replaces this one. */
  endWaits(reason: string): void {
    for (const reject of this.waits) reject(new BackendError('notReady', reason));
  }

  /** Whether the user signs in now. */
  get isPerforming(): boolean {
    return this.signInState.kind === 'performing';
  }

  /** The accounts that the agent uses, if it reports them. For display only. */
  get accounts(): readonly string[] {
    return this.lastAccounts;
  }

  /** Records that the user has signed in or out elsewhere, for example in the agent's own terminal. */
  recordStatus({ accounts, isSignedIn }: AuthStatus): void {
    this.lastAccounts = accounts;
    if (isSignedIn === false)
      this.apply({ type: 'refused', what: 'session', message: this.messageOfRefusal(undefined) });
    if (isSignedIn !== true || this.signInState.kind !== 'required') return;
    this.reset();
    this.signedInEmitter.fire();
  }

  /**
   * Whether the user is already signed in: the agent reports it, or a new session can be opened.
   * @throws BackendError for other failures
   */
  async isSignedIn(signal: AbortSignal): Promise<boolean> {
    const { connection, trySession } = this.deps;
    const status = await this.askForStatus(signal);
    if (status) this.recordStatus(status);
    if (status?.isSignedIn === false) return false;
    try {
      if (status?.isSignedIn === undefined) await trySession(signal);
      this.recordAccepted('session');
      return this.signInState.kind !== 'required';
    } catch (error) {
      if (!isAuthRequired(error)) throw await connection.toBackendError(error);
      this.recordRefused(error);
      return false;
    }
  }

  /** Returns the agent's report. Undefined if the agent does not know, or cannot report it. */
  private async askForStatus(signal: AbortSignal): Promise<AuthStatus | undefined> {
    const { connection, limits, log } = this.deps;
    const { client } = await connection.connect(signal);
    try {
      return await this.request('auth/status', limits.requestTimeoutMs, (deadline) =>
        client.authStatus(AbortSignal.any([signal, deadline])),
      );
    } catch (error) {
      log.debug(`The agent did not report whether the user is signed in: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Signs in with a method, and checks that with a new session. @throws BackendError */
  async authenticate(
    methodId: string,
    signal?: AbortSignal,
    onWaiting: (wait: SignInWait) => void = () => undefined,
  ): Promise<void> {
    this.currentAttempt?.abort();
    const attempt = new AbortController();
    this.currentAttempt = attempt;
    const live = signal ? AbortSignal.any([signal, attempt.signal]) : attempt.signal;
    const { connection, title } = this.deps;
    await connection.connect(live);
    const way = this.wayOf(methodId);
    if (!way) throw new BackendError('invalidRequest', `${title} has no sign-in method "${methodId}".`);
    this.apply({ type: 'begun', step: way.kind });
    try {
      await raceSignal(
        this.performAndCheck(way, live, onWaiting),
        live,
        () => new BackendError('cancelled', 'Canceled.'),
      );
    } catch (error) {
      const isLatest = this.currentAttempt === attempt;
      const explained = await this.toExplainedError(error, way);
      if (isLatest) this.applyFailure(explained, live.aborted);
      throw explained;
    } finally {
      if (this.currentAttempt === attempt) this.currentAttempt = undefined;
    }
    this.apply({ type: 'succeeded' });
    this.signedInEmitter.fire();
  }

  /** Ends the user's sign-in in the agent. @throws BackendError */
  async signOut(signal?: AbortSignal): Promise<void> {
    const { connection, limits } = this.deps;
    const { client } = await connection.connect(signal);
    try {
      await this.request('logout', limits.requestTimeoutMs, (deadline) => client.logout(deadline));
    } catch (error) {
      throw await connection.toBackendError(error);
    }
    this.reset();
  }

  dispose(): void {
    this.currentAttempt?.abort();
    this.subscriptions.dispose();
    this.signedInEmitter.dispose();
    this.stateEmitter.dispose();
  }

  private get ways(): readonly SignInWay[] {
    const { connection, keyUse } = this.deps;
    const { agent } = connection.connectedAgent ?? {};
    if (agent) this.lastWays = signInWays(agent.authMethods, keyUse);
    return this.lastWays;
  }

  private wayOf(methodId: string): SignInWay | undefined {
    const variable = /^key:(.+)$/.exec(methodId)?.[1];
    return (
      this.ways.find(({ method }) => method.id === methodId) ??
      (variable === undefined ? undefined : wayOfVariable(variable))
    );
  }

  private async performAndCheck(
    way: SignInWay,
    signal: AbortSignal,
    onWaiting: (wait: SignInWait) => void,
  ): Promise<void> {
    if (way.kind === 'agent') await this.authenticateByAgent(way.method.id, signal);
    else {
      if (way.kind === 'terminal') await this.authenticateInTerminal(way.command, signal);
      await this.waitForTurns(signal, onWaiting);
      await this.stopAgent();
    }
    signal.throwIfAborted();
    this.apply({ type: 'performed' });
    await this.checkWithSession(way, signal);
  }

  /**
   * Some agents use a key only after `authenticate`, but others store it then. So it is called only where it is needed.
   */
  private async checkWithSession(way: SignInWay, signal: AbortSignal): Promise<void> {
    const { trySession } = this.deps;
    try {
      await trySession(signal);
      return;
    } catch (error) {
      const agentMethodId = way.kind === 'key' ? way.agentMethodId : undefined;
      if (!isAuthRequired(error) || agentMethodId === undefined) throw error;
      await this.authenticateByAgent(agentMethodId, signal);
    }
    await trySession(signal);
  }

  private async authenticateByAgent(methodId: string, signal: AbortSignal): Promise<void> {
    const { connection, limits } = this.deps;
    const { client } = await connection.connect(signal);
    await this.request('authenticate', limits.authenticateTimeoutMs, (deadline) =>
      client.authenticate(methodId, AbortSignal.any([signal, deadline])),
    );
  }

  /** Sends a request with a time limit. The agent is not restarted meanwhile. */
  private request<T>(name: string, timeoutMs: number, send: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, users } = this.deps;
    return users.during(() => withDeadline(clock, name, timeoutMs, send));
  }

  /** The protocol forbids `authenticate` here: the agent picks up the sign-in when it restarts. */
  private async authenticateInTerminal(command: SignInCommand, signal: AbortSignal): Promise<void> {
    const { runInTerminal, title } = this.deps;
    if (!runInTerminal) throw new BackendError('unsupported', `Sign in to ${title} in a terminal, then try again.`);
    if (!(await runInTerminal(command, signal))) {
      throw new BackendError('authRequired', `Signing in to ${title} failed. Check its terminal and try again.`);
    }
  }

  /** Turns would be lost if the agent restarted now. Resolves when they have ended, or when the user wants no more wait. */
  private async waitForTurns(signal: AbortSignal, onWaiting: (wait: SignInWait) => void): Promise<void> {
    const { title, users } = this.deps;
    if (!users.isInUse()) return;
    const restartNow = new AbortController();
    const show = (): void => {
      if (users.isInUse()) this.apply({ type: 'waiting', waitsFor: users.namesOfWorking });
    };
    show();
    const subscription = users.onDidChange(show);
    const message = signInWaitNotice(title, users.namesOfWorking);
    onWaiting({ message, restartNow: () => restartNow.abort() });
    try {
      await users.whenUnused(AbortSignal.any([signal, restartNow.signal]));
    } catch (error) {
      if (signal.aborted || !restartNow.signal.aborted) throw error;
    } finally {
      subscription.dispose();
    }
  }

  private async stopAgent(): Promise<void> {
    const { connection, title } = this.deps;
    await connection.stop(new BackendError('closed', `${title} was restarted to complete the sign-in.`));
  }

  private async toExplainedError(error: unknown, way: SignInWay): Promise<BackendError> {
    const { connection, title } = this.deps;
    if (!isAuthRequired(error)) {
      const explained = toBackendError(error, title);
      return explained.code === 'closed' ? await connection.toBackendError(error) : explained;
    }
    const what = way.kind === 'key' ? `${title} did not accept the key.` : `${title} still requires you to sign in.`;
    return new BackendError('authRequired', what + this.reportedReasonOf(error), undefined, { cause: error });
  }

  private applyFailure({ code, message }: BackendError, isAborted: boolean): void {
    if (isAborted || code === 'cancelled') this.apply({ type: 'canceled' });
    else this.apply({ type: 'failed', message, isRefused: code === 'authRequired' });
  }

  private messageOfRefusal(error: unknown): string {
    const hint = this.ways.length > 0 ? 'Choose a sign-in method.' : 'Use the agent’s own command to sign in.';
    return `${this.deps.title} requires you to sign in. ${hint}${this.reportedReasonOf(error)}`;
  }

  private reportedReasonOf(error: unknown): string {
    const reason = error instanceof RequestError ? reasonOfAgentError(error) : undefined;
    return reason === undefined ? '' : ` It reported: ${reason}`;
  }

  private apply(input: SignInInput): void {
    const { signInState } = this;
    this.signInState = nextSignIn(signInState, input);
    if (this.signInState !== signInState) this.fireState();
  }

  private fireState(): void {
    this.stateEmitter.fire(this.state);
  }
}
