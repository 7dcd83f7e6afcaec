import * as vscode from 'vscode';
import { countWithNoun } from '../../base/common/text/countWithNoun';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { oneLine } from '../../base/common/text/oneLine';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { toSafeNotificationText } from '../../base/common/text/noticeText';
import { formatCommand, toVisibleText } from '../../base/common/text/visibleText';
import type { EditorPort } from '../../editor/common/editorPort';
import type {
  ToolFileChange,
  ToolCaller,
  ToolChange,
  ToolCommand,
  ToolPermissionResult,
} from '../../session/common/toolCaller';
import type { OpenQuestionLimiter } from '../common/openQuestionLimiter';
import { decideRequest, type Decision } from '../common/decide';
import { policyKindsOfRequest } from '../common/policy/policy';
import { mcpClientPolicyId } from '../common/policy/policyKinds';
import { createFileRequest, type RequestWithProtections } from '../common/requests/toolRequest';
import type { StandingPermissions } from '../common/standingPermissions';

interface WindowToolCallerDeps {
  readonly standing: StandingPermissions;
  readonly editor: Pick<EditorPort, 'showDiff'> & {
    /** Opens the changes of several files in one editor. Disposing the result releases their texts. */
    showChanges(files: readonly ToolFileChange[], title: string): Promise<Disposable>;
  };
  readonly log: Logger;
  /** Shared by all callers of the window. */
  readonly questions: OpenQuestionLimiter;
  /** Replaces `vscode.window.showWarningMessage` in tests. */
  readonly showMessage?: (message: string, ...buttons: string[]) => Thenable<string | undefined>;
}

const allow = 'Allow Once';
const show = 'Show Changes';
const deny = 'Deny';
const granted: ToolPermissionResult = { isGranted: true };
const maxNamedFiles = 3;
/** Maximum number of files in one editor, because VS Code loads all their texts when it opens. */
const maxShownFiles = 300;
/** Maximum length of a displayed name, in UTF-16 units. */
const maxNameLength = 60;
/** Maximum length of a displayed command, in UTF-16 units. VS Code would cut off a longer notification. */
const maxCommandLength = 800;
const tooManyQuestions =
  'The user has not answered several earlier questions from programs outside VS Code. Wait until they are answered or closed, then ask again.';

/** Returns a name for a program outside VS Code. Contains the name that the program reports. */
export function titleOfClient(clientName: string | undefined): string {
  const name = toVisibleText(oneLine(clientName ?? '')).slice(0, maxNameLength);
  return name === '' ? 'A program outside VS Code' : `“${name}” (a program outside VS Code)`;
}

/** Calls tools without a conversation of Backline, so the user is asked with a notification. */
export class WindowToolCaller implements ToolCaller {
  readonly endSignal = new AbortController().signal;
  readonly stopSignal = undefined;

  /** `title` begins the question to the user. */
  constructor(
    private readonly title: string,
    private readonly deps: WindowToolCallerDeps,
  ) {}

  async mayChangeFiles({ files, purpose, warning }: ToolChange, signal: AbortSignal): Promise<ToolPermissionResult> {
    if (files.length > maxShownFiles)
      return refused(
        `Only changes of up to ${maxShownFiles} files can be shown to the user. Change fewer files at once.`,
      );
    const paths = files.map(({ path }) => path);
    const protections = files.flatMap(({ path, protection }): [string, string][] =>
      protection === undefined ? [] : [[path, protection]],
    );
    const request = { ...createFileRequest(mcpClientPolicyId, 'edit', ...paths), protections: new Map(protections) };
    const names = paths.slice(0, maxNamedFiles).map((path) => vscode.workspace.asRelativePath(path));
    const rest = paths.length > names.length ? ` and ${paths.length - names.length} more` : '';
    const what = paths.length === 1 ? `change ${names.join()}` : `${purpose} in ${names.join(', ')}${rest}`;
    const protectedFiles = protections
      .slice(0, maxNamedFiles)
      .map(([path, reason]) => ` ${vscode.workspace.asRelativePath(path)} is protected: ${reason}.`);
    const more = protections.length - protectedFiles.length;
    const others = more > 0 ? ` ${countWithNoun(more, 'more file is', 'more files are')} protected.` : '';
    const about = warning === undefined ? '' : ` ${toVisibleText(warning)}`;
    return await this.decide(request, `${what}.${about}${protectedFiles.join('')}${others}`, files, signal);
  }

  async mayRun({ argv, cwd, env, warning }: ToolCommand, signal: AbortSignal): Promise<ToolPermissionResult> {
    const request: RequestWithProtections = {
      ...createFileRequest(mcpClientPolicyId, 'execute'),
      command: { argv, cwd },
      env,
      isUnresolved: warning !== undefined,
      protections: new Map(),
    };
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const variables = settings.length === 0 ? '' : ` with ${toVisibleText(settings.join(', '))}`;
    const what = `run ${formatCommand(argv)} in ${cwd}${variables}.${warning === undefined ? '' : ` ${warning}`}`;
    if (what.length > maxCommandLength)
      return refused('The command is too long to be shown to the user. Ask the user to run it.');
    return await this.decide(request, what, [], signal);
  }

  /** Only runs the write, because there is no conversation in which it could be shown. */
  async recordWrites<T>(_paths: readonly string[], write: () => Promise<T>): Promise<T> {
    return await write();
  }

  /** There is no conversation. */
  recordCall(): () => void {
    return () => undefined;
  }

  private async decide(
    request: RequestWithProtections,
    what: string,
    files: readonly ToolFileChange[],
    signal: AbortSignal,
  ): Promise<ToolPermissionResult> {
    const { log, standing } = this.deps;
    const decision = decideRequest(request, {
      rules: standing.rules.rules,
      policy: standing.policy().forAgent(mcpClientPolicyId),
      globs: standing.globs,
      isProtected: (path) => request.protections.has(path),
    });
    if ('rule' in decision) standing.rules.recordUse(decision.rule);
    if (decision.answer === 'allow' && this.isAllowedForExternalClients(decision, request)) return granted;
    if (decision.answer === 'deny')
      return refused("The user's rules or settings (backline.permissions) do not allow it. Continue without it.");
    try {
      return await this.ask(what, files, signal);
    } catch (error) {
      log.error('the user could not be asked about a tool call', error);
      return refused(`The user could not be asked. ${messageOf(error)}`);
    }
  }

  /** Whether the policy entry for MCP clients allows the request. The entry for all agents does not apply to them. */
  private isAllowedForExternalClients(decision: Decision, request: RequestWithProtections): boolean {
    if ('rule' in decision) return decision.rule.agent === mcpClientPolicyId;
    const own = this.deps.standing.policy().userPolicies.get(mcpClientPolicyId);
    return policyKindsOfRequest(request).every((kind) => own?.[kind] === 'allow');
  }

  /**
   * Asks the user with a notification. VS Code cannot close it, so it stays after the end of the call. An answer has no effect
   * then, which the user is told.
   */
  private async ask(
    what: string,
    files: readonly ToolFileChange[],
    signal: AbortSignal,
  ): Promise<ToolPermissionResult> {
    const diffs = new DisposableStore();
    const question = this.deps.questions.tryOpen(this.title);
    if (!question) return refused(tooManyQuestions);
    const buttons = [allow, ...(files.length > 0 ? [show] : []), deny];
    let shown: Promise<string | undefined> = Promise.resolve(undefined);
    try {
      while (!signal.aborted) {
        shown = this.show(`Backline: ${this.title} wants to ${what}`, buttons);
        const choice = await answerUnlessAborted(shown, signal);
        if (choice === ended) break;
        if (choice === allow) return granted;
        if (choice !== show) return refused('The user did not allow this. Ask the user how to continue.');
        await this.showChanges(files, diffs);
      }
      this.explainLateAnswer(shown, files.length > 0 ? 'changed' : 'run');
      return refused('The request was cancelled before the user answered.');
    } finally {
      diffs.dispose();
      question.end();
      const close = (): void => question.close();
      shown.then(close, close);
    }
  }

  private explainLateAnswer(answer: Promise<string | undefined>, action: string): void {
    const explain = async (choice: string | undefined): Promise<void> => {
      if (choice !== allow && choice !== show) return;
      const text = `Backline: ${this.title} no longer waits for this answer. Nothing was ${action}. It can ask again.`;
      await this.show(text, []);
    };
    answer.then(explain).catch((error: unknown) => this.deps.log.error('the user could not be told', error));
  }

  private async showChanges(files: readonly ToolFileChange[], diffs: DisposableStore): Promise<void> {
    const { editor, log } = this.deps;
    const by = 'by a program outside VS Code';
    const [first] = files;
    try {
      if (files.length > 1) diffs.add(await editor.showChanges(files, `Changes in ${files.length} files ${by}`));
      else if (first) {
        const title = `${vscode.workspace.asRelativePath(first.path)} (change ${by})`;
        diffs.add(await editor.showDiff(first.path, first.after, title));
      }
    } catch (error) {
      log.error('the changes could not be shown', error);
    }
  }

  private async show(text: string, buttons: readonly string[]): Promise<string | undefined> {
    const showMessage = this.deps.showMessage ?? vscode.window.showWarningMessage;
    return await showMessage(toSafeNotificationText(text), ...buttons);
  }
}

/** The call has ended before the user answered. */
const ended = Symbol('ended');

/** Returns `ended` as soon as the signal fires. */
async function answerUnlessAborted(
  notification: Promise<string | undefined>,
  signal: AbortSignal,
): Promise<string | undefined | typeof ended> {
  return await new Promise((resolve, reject) => {
    const stop = (): void => resolve(ended);
    signal.addEventListener('abort', stop, { once: true });
    notification.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  });
}

function refused(reason: string): ToolPermissionResult {
  return { isGranted: false, reason };
}
