import { randomBytes, randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { KeyedQueue, type Clock } from '../../base/common/async';
import type { Feature, RunningFeature, StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import { Messages, type MessageAction } from '../../platform/vscode/messages';
import type { BackendRegistry } from '../common/backendRegistry';
import type { AmplifierServer } from '../node/server/amplifierServer';

export interface ServeFeatureOptions {
  /** What is offered. Never an Amplifier server: it could be this one. */
  readonly backends: BackendRegistry;
  readonly editor: EditorPort;
  readonly log: Logger;
  readonly status: StatusBoard;
  readonly commands: Pick<Commands, 'handle'>;
  readonly clock: Clock;
  readonly version: string;
}

interface Serving {
  readonly server: AmplifierServer;
  readonly token: string;
}

/** The API reference's. Another window that serves may have it: then any free one. */
const usualPort = 8765;

/** Offers the window's agents to Amplifier clients. Off until the user asks for it, and off again in the next window. */
export class ServeFeature implements Feature {
  readonly id = 'amplifierServe';
  readonly title = 'Agents for Amplifier clients';
  private readonly messages: Messages;
  private readonly queue = new KeyedQueue();
  private serving: Serving | undefined;

  constructor(private readonly options: ServeFeatureOptions) {
    this.messages = new Messages(options.log);
  }

  start(): Promise<RunningFeature> {
    const handler = this.options.commands.handle(commandIds.amplifierServe, () => this.serve());
    this.showStatus();
    return Promise.resolve({ stop: () => this.stop(), dispose: () => handler.dispose() });
  }

  /** Begins to serve, unless it does already, and tells how to get in. */
  private async serve(): Promise<{ readonly url: string; readonly token: string }> {
    const { server, token } = await this.queue.run('serve', () => this.running());
    const { url } = server;
    const copy = (label: string, text: string): MessageAction => ({
      label,
      run: () => vscode.env.clipboard.writeText(text),
    });
    const message = `The agents of this window are served at ${url}.${portNote(url)} Clients must send the token as a bearer token.`;
    this.messages.info(message, copy('Copy URL', url), copy('Copy Token', token), {
      label: 'Stop Serving',
      run: () => this.stop(),
    });
    return { url, token };
  }

  private async running(): Promise<Serving> {
    if (this.serving) return this.serving;
    const { backends, clock, editor, log, version } = this.options;
    const token = randomBytes(24).toString('base64url');
    // In a bundle of its own: few windows ever serve.
    const { AmplifierServer } = await import('../node/server/amplifierServer');
    const server = new AmplifierServer({
      backends,
      workspace: editor,
      clock,
      log,
      newId: randomUUID,
      version,
      host: '127.0.0.1',
      ports: [usualPort, 0],
      token,
      profilesFrom: settingIds.acpAgents,
    });
    await server.start();
    this.serving = { server, token };
    this.showStatus();
    return this.serving;
  }

  private async stop(): Promise<void> {
    await this.queue.run('serve', async () => {
      await this.serving?.server.stop();
      this.serving = undefined;
    });
    this.showStatus();
  }

  private showStatus(): void {
    const { id, serving, title } = this;
    const command = commandIds.amplifierServe;
    if (serving) {
      const { url } = serving.server;
      const summary = `Served at ${url}, to clients that have the token.${portNote(url)}`;
      this.options.status.set({
        id,
        title,
        state: 'ready',
        summary,
        actions: [{ label: 'Show URL and token', command }],
      });
    } else {
      const summary = 'Off. Serve the agents of this window to clients of the Amplifier API when you need it.';
      this.options.status.set({ id, title, state: 'off', summary, actions: [{ label: 'Serve', command }] });
    }
  }
}

/** Why clients that know only the usual port do not find this window; empty when they do. */
function portNote(url: string): string {
  if (new URL(url).port === String(usualPort)) return '';
  return ` Port ${usualPort} is taken, perhaps by another window that serves.`;
}
