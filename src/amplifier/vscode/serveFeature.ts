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
import { Messages, type MessageAction } from '../../platform/vscode/messages';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import type { AmplifierServer } from '../node/server/amplifierServer';
import { confirmNoToken } from './confirmNoToken';

interface ServeFeatureOptions extends Pick<FeatureContext, 'log' | 'status' | 'clock'> {
  /** The backends to serve. Never includes an Amplifier server, which could be this one. */
  readonly backends: BackendRegistry;
  readonly editor: EditorPort;
  readonly commands: Pick<Commands, 'handle'>;
  readonly version: string;
  /** Asks the user to confirm serving without a token. Defaults to a modal dialog. */
  readonly confirmNoToken?: (isServing: boolean) => Promise<boolean>;
}

interface ServedAt {
  readonly url: string;
  /** Undefined if clients need none. */
  readonly token: string | undefined;
}

interface Serving extends ServedAt {
  readonly server: AmplifierServer;
}

/** The argument of `backline.amplifier.serve`. The user always has to confirm `withoutToken`. */
const ServeArgument = z.enum(['withToken', 'withoutToken']).catch('withToken');

/** The port of the API reference. If it is in use, for example by another window, any free port is used. */
const defaultPort = 8765;

/** Serves the window's agents to Amplifier clients. Each window is off until the user runs the command. */
export class ServeFeature implements Feature {
  readonly id = 'amplifierServe';
  readonly title = 'Agents for Amplifier clients';
  private readonly messages: Messages;
  private readonly queue = new KeyedQueue();
  private readonly emitter = new Emitter<void>((error) => this.options.log.error('a listener failed', error));
  readonly onDidChange = this.emitter.event;
  private serving: Serving | undefined;

  constructor(private readonly options: ServeFeatureOptions) {
    this.messages = new Messages(options.log);
  }

  /** Undefined while not serving. */
  get url(): URL | undefined {
    return this.serving && new URL(this.serving.url);
  }

  start(): Promise<RunningFeature> {
    const handler = this.options.commands.handle(commandIds.amplifierServe, (argument) =>
      ServeArgument.parse(argument) === 'withoutToken' ? this.serveWithoutToken() : this.serve(),
    );
    this.showStatus();
    return Promise.resolve({ stop: () => this.stop(), dispose: () => handler.dispose() });
  }

  /** Starts serving, if it has not started, and shows how to connect. */
  private async serve(): Promise<ServedAt> {
    const token = randomBytes(24).toString('base64url');
    return this.tell(await this.queue.run('serve', async () => this.serving ?? (await this.begin(token))));
  }

  /** For clients that cannot send a token. The user has to confirm each time. */
  private async serveWithoutToken(): Promise<ServedAt | undefined> {
    const { confirmNoToken: confirm = confirmNoToken } = this.options;
    const isOpen = this.serving !== undefined && this.serving.token === undefined;
    if (!isOpen && !(await confirm(this.serving !== undefined))) return undefined;
    return this.tell(
      await this.queue.run('serve', async () => {
        if (this.serving && this.serving.token === undefined) return this.serving;
        await this.end();
        return await this.begin(undefined);
      }),
    );
  }

  private tell({ token, url }: ServedAt): ServedAt {
    const copy = (label: string, text: string): MessageAction => ({
      label,
      run: () => vscode.env.clipboard.writeText(text),
    });
    const stop: MessageAction = { label: 'Stop Serving', run: () => this.stop() };
    const served = `The agents of this window are available at ${url}`;
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

  private async begin(token: string | undefined): Promise<Serving> {
    // A separate bundle, because few windows serve.
    const { AmplifierServer } = await import('../node/server/amplifierServer');
    const server = new AmplifierServer({
      ...this.options,
      workspace: this.options.editor,
      newId: randomUUID,
      host: '127.0.0.1',
      ports: [defaultPort, 0],
      token,
      profilesFrom: settingIds.acpAgents,
    });
    await server.start();
    this.serving = { server, token, url: server.url };
    this.changed();
    return this.serving;
  }

  private stop(): Promise<void> {
    return this.queue.run('serve', () => this.end());
  }

  private async end(): Promise<void> {
    await this.serving?.server.stop();
    this.serving = undefined;
    this.changed();
  }

  private changed(): void {
    this.showStatus();
    this.emitter.fire();
  }

  private showStatus(): void {
    this.options.status.set({ id: this.id, title: this.title, ...statusOf(this.serving) });
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
    return { state: 'ready', summary, actions: [{ label: 'Show URL and token', command }, openUp] };
  }
  const summary =
    `Listening at ${url} without a token. Any program on this machine can use the agents.` +
    `${portNote(url)} Stop serving when you are done.`;
  return { state: 'attention', summary, actions: [{ label: 'Show URL or stop', command }] };
}

/** Explains that clients of the default port do not reach this window; empty if they do. */
function portNote(url: string): string {
  if (new URL(url).port === String(defaultPort)) return '';
  return ` Port ${defaultPort} is already in use, possibly by another window.`;
}
