import * as vscode from 'vscode';
import { Coalescer } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import type { EditorPort } from '../../../editor/common/editorPort';
import { commandIds, contextKeys } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { FeatureContext } from '../../../platform/vscode/featureContext';
import type { BackendSession } from '../../../session/common/sessionBackend';
import type { Chats } from '../../common/chatPorts';
import { followOff, nextFollowState, type FollowInput, type FollowState } from '../../common/follow/followState';
import { touchedPlace } from '../../common/follow/touchedPlaces';
import { FollowedEditor } from './followedEditor';

interface AgentFollowerDeps extends Pick<FeatureContext, 'clock' | 'log'> {
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly chats: Pick<Chats, 'openChats' | 'onDidChange'>;
  readonly editor: Pick<EditorPort, 'resolve' | 'stat' | 'readBytes'>;
  /** Stores across reloads whether Follow is on. */
  readonly memento: Memento;
}

const stateKey = 'chat.isFollowing';
/** Minimum time between opening two editors. */
const pauseMs = 400;

/** Opens the files that agents read and edit, until the user does something in an editor. */
export class AgentFollower implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(
    new Emitter<void>((error) => this.deps.log.error('a listener failed', error)),
  );
  /** Fires when `isOn` has changed. */
  readonly onDidChange = this.emitter.event;
  private readonly followedEditor: FollowedEditor;
  private readonly lifetimeController = new AbortController();
  private readonly knownSessions = new WeakSet<BackendSession>();
  /** Last changed line (0-based) of each file that an agent is writing through the editor port, by path. */
  private readonly lineByWrittenPath = new Map<string, number>();
  private readonly pauseTimer: Coalescer;
  private state: FollowState = followOff;

  constructor(private readonly deps: AgentFollowerDeps) {
    const { clock, editor, log } = deps;
    const onError = (error: unknown): void => log.error('a listener failed', error);
    this.followedEditor = this.disposables.add(
      new FollowedEditor({ editor, clock, onError }, (path) => this.lineByWrittenPath.has(path)),
    );
    this.pauseTimer = this.disposables.add(new Coalescer(clock, pauseMs, () => this.handlePauseEnd()));
  }

  get isOn(): boolean {
    return this.state.kind !== 'off';
  }

  start(): void {
    const { chats, commands, memento } = this.deps;
    this.followedEditor.start();
    for (const [id, isOn] of [
      [commandIds.chatFollow, true],
      [commandIds.chatUnfollow, false],
    ] as const) {
      this.disposables.add(
        commands.setHandler(id, () => {
          if (this.isOn !== isOn) this.toggle();
        }),
      );
    }
    this.disposables.add(this.followedEditor.onUserAction(() => this.dispatch({ type: 'acted' })));
    this.disposables.add(chats.onDidChange(() => this.dispatchTurnState()));
    this.disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ contentChanges: [change], document }) => {
        const { fsPath } = document.uri;
        if (change && this.lineByWrittenPath.has(fsPath)) this.lineByWrittenPath.set(fsPath, change.range.start.line);
      }),
    );
    if (memento.get(stateKey) === true) this.toggle();
  }

  toggle(): void {
    this.dispatch({ type: 'toggled' });
    this.dispatchTurnState();
  }

  /** Follows a session until it ends. */
  followSession(session: BackendSession): void {
    if (this.knownSessions.has(session)) return;
    this.knownSessions.add(session);
    this.readEvents(session).catch((error: unknown) => this.deps.log.error('cannot follow a session', error));
  }

  /** Call when an agent is about to write a file through the editor port. */
  beforeWrite(path: string): void {
    this.lineByWrittenPath.set(path, 0);
  }

  afterWrite(path: string): void {
    const line = this.lineByWrittenPath.get(path);
    this.lineByWrittenPath.delete(path);
    this.dispatch({ type: 'touched', place: { path, ...(line !== undefined && { line }) } });
  }

  dispose(): void {
    this.lifetimeController.abort();
    this.disposables.dispose();
    setContext(false);
  }

  private async readEvents(session: BackendSession): Promise<void> {
    for await (const { event } of session.events({ signal: this.lifetimeController.signal })) {
      // A session that is loaded replays its history first, which is ignored.
      const place = this.isOn && session.turn !== 'none' ? touchedPlace(event) : undefined;
      if (place) this.dispatch({ type: 'touched', place });
    }
  }

  private dispatchTurnState(): void {
    const isRunning = this.deps.chats.openChats.some(({ view }) => view.isBusy === true);
    this.dispatch({ type: 'turn', isRunning });
    if (isRunning) return;
    this.followedEditor.forgetShownEditor();
    // Writes that failed may still be in the map, because their end is not reported.
    this.lineByWrittenPath.clear();
  }

  private handlePauseEnd(): void {
    this.dispatch({ type: 'rested' });
    // The turn may have ended in the meantime, so its state is read again.
    this.dispatchTurnState();
  }

  private dispatch(input: FollowInput): void {
    if (this.lifetimeController.signal.aborted) return;
    const { isOn: wasOn } = this;
    const { effect, state } = nextFollowState(this.state, input);
    this.state = state;
    if (this.isOn !== wasOn) this.handleIsOnChange();
    if (effect?.type === 'rest') {
      this.pauseTimer.schedule();
    } else if (effect) {
      this.followedEditor
        .show(effect.place, () => this.isOn)
        .catch((error: unknown) => this.deps.log.debug(`Cannot follow an agent: ${messageOf(error)}`))
        .finally(() => this.dispatch({ type: 'opened' }));
    }
  }

  private handleIsOnChange(): void {
    const { log, memento } = this.deps;
    const { isOn } = this;
    if (!isOn) this.followedEditor.forgetShownEditor();
    setContext(isOn);
    memento
      .update(stateKey, isOn)
      .then(undefined, (error: unknown) => log.warn(`cannot store whether agents are followed: ${messageOf(error)}`));
    this.emitter.fire();
  }
}

function setContext(isOn: boolean): void {
  void vscode.commands.executeCommand('setContext', contextKeys.chatIsFollowing, isOn);
}
