import * as vscode from 'vscode';
import { Coalescer } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Memento } from '../../base/common/memento';
import { commandIds } from '../../manifest';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import { describeSubject, describeSource, type ConsentSubject } from '../common/consentSubject';
import { ConsentStore } from '../common/consentStore';
import { ConsentManager, type ConsentPort, type ConsentDecision, type SubjectDecision } from '../common/consentManager';
import { ConsentHintLimiter } from '../common/consentHintLimiter';
import { askForConsent, askForConsentToAll } from './consentQuestion';

interface WorkspaceConsentDeps extends Omit<NoticeContext, 'settings'> {
  readonly memento: Memento;
}

interface SubjectPick extends vscode.QuickPickItem {
  readonly subject: ConsentSubject;
}

/** How long to collect subjects, in milliseconds, so that one hint is shown for all of them. */
const burstMs = 1_000;

const words: Record<ConsentDecision, string> = {
  allowed: 'allowed',
  denied: 'not allowed',
  ask: 'needs your permission',
};

/** Consent in VS Code: the dialog, a hint for all subjects, a status row, and a command to change answers. */
export class WorkspaceConsent implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly manager: ConsentManager;
  private readonly hintLimiter: ConsentHintLimiter;
  private readonly messages: Messages;

  constructor(private readonly deps: WorkspaceConsentDeps) {
    const { log, memento } = deps;
    const onError = (error: unknown): void => log.error('a listener failed', error);
    const store = new ConsentStore(memento, onError);
    this.messages = new Messages(log);
    this.hintLimiter = new ConsentHintLimiter(memento);
    this.manager = new ConsentManager(
      store,
      {
        ask: (asked) =>
          askForConsent(asked, (late, answer) => {
            this.manager
              .acceptLateAnswer(late, answer)
              .catch((error: unknown) => log.error('an answer could not be kept', error));
          }),
        askAboutAll: askForConsentToAll,
      },
      onError,
    );
  }

  get consent(): ConsentPort {
    return this.manager;
  }

  start(): void {
    const { clock, commands } = this.deps;
    const { manager, disposables } = this;
    const later = disposables.add(new Coalescer(clock, burstMs, () => this.showStatusAndHint()));
    disposables.add(manager);
    disposables.add(manager.onDidChangeSubjects(() => later.schedule()));
    disposables.add(manager.onDidChange(() => this.showStatus()));
    disposables.add(commands.setHandler(commandIds.reviewWorkspace, (id) => this.reviewSubjects(id)));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private showStatusAndHint(): void {
    this.showStatus();
    const { log, notices } = this.deps;
    const { undecidedSubjects: undecided } = this;
    this.hintLimiter
      .claimHint(undecided)
      .then((isNew) => {
        if (!isNew) return;
        const names = undecided.map(({ subject }) => describeSubject(subject)).join(', ');
        const review = { label: 'Review…', run: () => this.reviewSubjects() };
        notices.info(`This workspace wants to run or use: ${names}. Review before you allow it.`, review);
      })
      .catch((error: unknown) => log.error('the hint could not be shown', error));
  }

  private showStatus(): void {
    const { status } = this.deps;
    const { decisions } = this.manager;
    if (this.disposables.isDisposed) return;
    if (decisions.length === 0) {
      status.remove('consent');
      return;
    }
    const names = this.undecidedSubjects.map(({ subject }) => describeSubject(subject)).join(', ');
    status.set({
      id: 'consent',
      title: 'What this workspace runs',
      state: this.undecidedSubjects.length > 0 ? 'attention' : 'ready',
      summary:
        this.undecidedSubjects.length > 0
          ? `Waiting for your permission: ${names}.`
          : 'You have reviewed everything that this workspace wants to run or use.',
      actions: [{ label: 'Review What This Workspace Runs', command: commandIds.reviewWorkspace }],
    });
  }

  private get undecidedSubjects(): readonly SubjectDecision[] {
    return this.manager.decisions.filter(({ decision }) => decision === 'ask');
  }

  /** `backline.reviewWorkspace`: asks about one subject, or lists all until the user closes the list. */
  private async reviewSubjects(id?: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      this.messages.info('An untrusted workspace cannot run anything.', {
        label: 'Manage Workspace Trust',
        run: () => vscode.commands.executeCommand('workbench.trust.manage'),
      });
      return;
    }
    const named =
      id === undefined ? undefined : this.manager.decisions.find(({ subject }) => (subject.id ?? subject.name) === id);
    if (named) {
      await this.manager.askAgain(named.subject);
      return;
    }
    for (;;) {
      const picks = this.manager.decisions.map(pickOf);
      if (picks.length === 0) {
        this.messages.info('Nothing in this workspace needs your permission.');
        return;
      }
      const options = {
        title: 'What This Workspace Runs',
        placeHolder: 'Select an entry to review it or change your answer',
        matchOnDetail: true,
      };
      const picked = await vscode.window.showQuickPick(picks, options);
      if (!picked) return;
      const decision = await this.manager.askAgain(picked.subject);
      // The user may have selected Show and wants to read the file first.
      if (decision === 'ask' || this.undecidedSubjects.length === 0) return;
    }
  }
}

function pickOf({ decision, subject }: SubjectDecision): SubjectPick {
  const icon = decision === 'allowed' ? 'pass' : decision === 'denied' ? 'circle-slash' : 'question';
  const label = `$(${icon}) ${describeSubject(subject).replace(/\$\(/g, '$ (')}`;
  return { label, description: words[decision], detail: describeSource(subject.source), subject };
}
