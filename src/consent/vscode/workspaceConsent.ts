import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import { commandIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import { Messages } from '../../platform/vscode/messages';
import { describeThing, placeOf, type BroughtThing } from '../common/broughtThing';
import { ConsentBook } from '../common/consentBook';
import { ConsentDesk, type Consent, type ConsentDecision, type SeenThing } from '../common/consentDesk';
import { ConsentHints } from '../common/consentHints';
import { askInDialog } from './consentQuestion';

interface WorkspaceConsentOptions {
  readonly clock: Clock;
  readonly commands: Commands;
  readonly log: Logger;
  readonly status: StatusBoard;
  /** Of the workspace. */
  readonly memento: Memento;
}

interface ThingPick extends vscode.QuickPickItem {
  readonly thing: BroughtThing;
}

/** Items are found in bursts, and one hint covers them all. */
const burstMs = 1_000;

const words: Record<ConsentDecision, string> = {
  allowed: 'allowed',
  denied: 'not allowed',
  ask: 'needs your permission',
};

/** Connects the answers to VS Code: the dialog, a hint for all items, a status row, and a command to change answers. */
export class WorkspaceConsent implements Disposable {
  private readonly store = new DisposableStore();
  private readonly desk: ConsentDesk;
  private readonly hints: ConsentHints;
  private readonly messages: Messages;

  constructor(private readonly options: WorkspaceConsentOptions) {
    const { log, memento } = options;
    const onError = (error: unknown): void => log.error('a listener failed', error);
    const book = new ConsentBook(memento, onError);
    this.messages = new Messages(log);
    this.hints = new ConsentHints(memento);
    this.desk = new ConsentDesk(
      book,
      (thing, hasChanged) =>
        askInDialog(thing, hasChanged, (late, answer) => {
          this.desk
            .answerLater(late, answer)
            .catch((error: unknown) => log.error('an answer could not be kept', error));
        }),
      onError,
    );
  }

  get consent(): Consent {
    return this.desk;
  }

  start(): void {
    const { clock, commands } = this.options;
    const { desk, store } = this;
    const later = store.add(new Coalescer(clock, burstMs, () => this.tell()));
    store.add(desk);
    store.add(desk.onDidChangeSeen(() => later.schedule()));
    store.add(desk.onDidChange(() => this.showStatus()));
    store.add(commands.handle(commandIds.reviewWorkspace, (id) => this.review(id)));
  }

  dispose(): void {
    this.store.dispose();
  }

  private tell(): void {
    this.showStatus();
    const { log } = this.options;
    const waiting = this.waiting;
    this.hints
      .take(waiting)
      .then((isNew) => {
        if (!isNew) return;
        const names = waiting.map(({ thing }) => describeThing(thing)).join(', ');
        const review = { label: 'Review…', run: () => this.review() };
        this.messages.info(`This workspace wants to run or use: ${names}. Review before you allow it.`, review);
      })
      .catch((error: unknown) => log.error('the hint could not be shown', error));
  }

  private showStatus(): void {
    const { status } = this.options;
    const { all } = this.desk;
    if (this.store.isDisposed) return;
    if (all.length === 0) {
      status.remove('consent');
      return;
    }
    const names = this.waiting.map(({ thing }) => describeThing(thing)).join(', ');
    status.set({
      id: 'consent',
      title: 'What this workspace runs',
      state: this.waiting.length > 0 ? 'attention' : 'ready',
      summary:
        this.waiting.length > 0
          ? `Needs your permission: ${names}.`
          : 'You have reviewed everything that this workspace wants to run or use.',
      actions: [{ label: 'Review what this workspace runs', command: commandIds.reviewWorkspace }],
    });
  }

  private get waiting(): readonly SeenThing[] {
    return this.desk.all.filter(({ decision }) => decision === 'ask');
  }

  /** The command `backline.reviewWorkspace`: asks about the given item, or lists all until the user closes the list. */
  private async review(id?: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      this.messages.info('An untrusted workspace cannot run anything.', {
        label: 'Manage Workspace Trust',
        run: () => vscode.commands.executeCommand('workbench.trust.manage'),
      });
      return;
    }
    const named = id === undefined ? undefined : this.desk.all.find(({ thing }) => (thing.id ?? thing.name) === id);
    if (named) {
      await this.desk.askAgain(named.thing);
      return;
    }
    for (;;) {
      const picks = this.desk.all.map(pickOf);
      if (picks.length === 0) {
        this.messages.info('This workspace defines nothing to run.');
        return;
      }
      const options = {
        title: 'What This Workspace Runs',
        placeHolder: 'Select an entry to review it or change your answer',
        matchOnDetail: true,
      };
      const picked = await vscode.window.showQuickPick(picks, options);
      if (!picked) return;
      const decision = await this.desk.askAgain(picked.thing);
      // The user may have selected Show to read the file first.
      if (decision === 'ask' || this.waiting.length === 0) return;
    }
  }
}

function pickOf({ decision, thing }: SeenThing): ThingPick {
  const icon = decision === 'allowed' ? 'pass' : decision === 'denied' ? 'circle-slash' : 'question';
  const label = `$(${icon}) ${describeThing(thing).replace(/\$\(/g, '$ (')}`;
  return { label, description: words[decision], detail: placeOf(thing.source), thing };
}
