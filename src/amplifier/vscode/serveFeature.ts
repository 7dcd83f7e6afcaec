import { randomBytes, randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod';
import { KeyedQueue } from '../../base/common/async';
import { Emitter } from '../../base/common/event';
import type { Feature, FeatureStatus, RunningFeature, StatusAction } from '../../base/common/feature';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import type { NoticeAction } from '../../platform/common/noticeBoard';
import { Messages } from '../../platform/vscode/messages';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import { CombinedBackends } from '../../session/common/combinedBackends';
import type { SessionObserver } from '../../session/common/sessionObserver';
import type { AmplifierServer } from '../node/server/amplifierServer';

interface ServeFeatureDeps extends Pick<FeatureContext, 'log' | 'status' | 'clock'> {
  /** The backends to serve. They do not include an Amplifier server, because that could be this server itself. */
  readonly backends: BackendRegistry;
  /** Called for each session of a client, so that its turns count as those of conversations do. */
  readonly observeSession: SessionObserver;
  readonly editor: EditorPort;
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly version: string;
  /** Asks the user to confirm serving without a token. Default is a modal dialog. */
  readonly confirmNoToken?: (isServing: boolean) => Promise<boolean>;
}

interface ServedAt {
  readonly url: string;
  readonly token: string | undefined;
}

interface Serving extends ServedAt {
  readonly server: AmplifierServer;
}

/** The argument of `backline.amplifier.serve`. The user must always confirm `withoutToken`. */
const ServeArgument = z.enum(['withToken', 'withoutToken']).catch('withToken');

/** The port in the API reference. If it is in use, for example by another window, any free port is used. */
const defaultPort = 8765;

/** Serves the window's agents to Amplifier clients. In each window, this is off until the user runs the command. */
export class ServeFeature implements Feature {
  readonly id = 'amplifierServe';
  readonly title = 'Agents for Amplifier clients';
  private readonly messages: Messages;
  private readonly operationQueue = new KeyedQueue();
  private readonly emitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  readonly onDidChange = this.emitter.event;
  private activeServer: Serving | undefined;

  constructor(private readonly deps: ServeFeatureDeps) {
    this.messages = new Messages(deps.log);
  }

  get url(): URL | undefined {
    return this.activeServer && new URL(this.activeServer.url);
  }

  start(): Promise<RunningFeature> {
    const handler = this.deps.commands.setHandler(commandIds.amplifierServe, (argument) =>
      ServeArgument.parse(argument) === 'withoutToken' ? this.serveWithoutToken() : this.serve(),
    );
    this.showStatus();
    return Promise.resolve({ stop: () => this.stopServing(), dispose: () => handler.dispose() });
  }

  /** Starts serving if the server is not running yet, and shows how to connect. */
  private async serve(): Promise<ServedAt> {
    const token = randomBytes(24).toString('base64url');
    return this.showConnectionInfo(
      await this.operationQueue.run('serve', async () => this.activeServer ?? (await this.startServer(token))),
    );
  }

  /** Starts serving without a token, for clients that cannot send one. The user must confirm this each time. */
  private async serveWithoutToken(): Promise<ServedAt | undefined> {
    const { confirmNoToken: confirm = confirmNoToken } = this.deps;
    const isOpen = this.activeServer !== undefined && this.activeServer.token === undefined;
    if (!isOpen && !(await confirm(this.activeServer !== undefined))) return undefined;
    return this.showConnectionInfo(
      await this.operationQueue.run('serve', async () => {
        if (this.activeServer && this.activeServer.token === undefined) return this.activeServer;
        await this.stopServer();
        return await this.startServer(undefined);
      }),
    );
  }

  private showConnectionInfo({ token, url }: ServedAt): ServedAt {
    const copy = (label: string, text: string): NoticeAction => ({
      label,
      run: () => vscode.env.clipboard.writeText(text),
    });
    const stop: NoticeAction = { label: 'Stop Serving', run: () => this.stopServing() };
    const served = `This window’s agents are available at ${url}`;
    if (token === undefined) {
      this.messages.info(
        `${served} without a token.${portNote(url)} Stop serving when you are done.`,
        copy('Copy URL', url),
        stop,
      );
    } else {
      this.messages.info(
        `${served}.${portNote(url)} Clients must send the token as a bearer token.`,
        copy('Copy URL', url),
        copy('Copy Token', token),
        stop,
        { label: 'Serve Without Token…', run: () => this.serveWithoutToken() },
      );
    }
    return { url, token };
  }

  private async startServer(token: string | undefined): Promise<Serving> {
    // This is a separate bundle, because few windows serve agents.
    const { AmplifierServer } = await import('../node/server/amplifierServer');
    const { backends, log, observeSession } = this.deps;
    const server = new AmplifierServer({
      ...this.deps,
      backends: new CombinedBackends([backends], observeSession, log),
      workspace: this.deps.editor,
      newId: randomUUID,
      host: '127.0.0.1',
      ports: [defaultPort, 0],
      token,
      profilesFrom: settingIds.acpAgents,
    });
    await server.start();
    this.activeServer = { server, token, url: server.url };
    this.publishChange();
    return this.activeServer;
  }

  private stopServing(): Promise<void> {
    return this.operationQueue.run('serve', () => this.stopServer());
  }

  private async stopServer(): Promise<void> {
    await this.activeServer?.server.stop();
    this.activeServer = undefined;
    this.publishChange();
  }

  private publishChange(): void {
    this.showStatus();
    this.emitter.fire();
  }

  private showStatus(): void {
    this.deps.status.set({ id: this.id, title: this.title, ...statusOf(this.activeServer) });
  }
}

function statusOf(served: ServedAt | undefined): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const command = commandIds.amplifierServe;
  const openUp: StatusAction = { label: 'Serve without token…', command, arguments: ['withoutToken'] };
  if (!served) {
    const summary = 'Off. Serve the agents of this window to clients of the Amplifier API.';
    return { state: 'off', summary, actions: [{ label: 'Serve', command }, openUp] };
  }
  const { token, url } = served;
  if (token !== undefined) {
    const summary = `Listening at ${url}. Clients need the token.${portNote(url)}`;
    return { state: 'ready', summary, actions: [{ label: 'Show URL and Token', command }, openUp] };
  }
  const summary =
    `Listening at ${url} without a token. Any program on this machine can use the agents.` +
    `${portNote(url)} Stop serving when you are done.`;
  return { state: 'attention', summary, actions: [{ label: 'Show URL or Stop', command }] };
}

/** Returns a note that clients of the default port do not reach this window. Empty if they do. */
function portNote(url: string): string {
  if (new URL(url).port === String(defaultPort)) return '';
  return ` Port ${defaultPort} is already in use, possibly by another window.`;
}

async function confirmNoToken(isServing: boolean): Promise<boolean> {
  const open = 'Serve Without a Token';
  const detail =
    'Any program on this machine, of any user, could use your agents to read and change files, run commands and approve ' +
    'them. Web pages can’t connect. Serving without a token lasts until you stop it or close the window.' +
    (isServing ? ' Current sessions will end.' : '');
  const message = 'Serve the agents of this window without a token?';
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, open)) === open;
}
