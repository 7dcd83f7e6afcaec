import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { chordBeginnings } from '../common/keyChords';

/** VS Code's own table: all shortcuts out of the box on this system, those of extensions too. */
const defaults = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
/** Where a VS Code in the browser has the user's. */
const inBrowser = vscode.Uri.parse('vscode-userdata:/User/keybindings.json');

/** With which keys shortcuts of several keys begin. VS Code has no API for it, so its tables are read. */
export class KeyChords implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.log.error('a listener failed', error)));
  readonly onDidChange = this.emitter.event;
  private current: readonly string[] = ['ctrl+k', 'meta+k'];

  constructor(
    /** Of this extension: the user's own table is two folders up, unless VS Code runs on another machine. */
    private readonly globalStorage: vscode.Uri,
    private readonly log: Logger,
  ) {}

  /** See `chordBeginnings`. */
  get beginnings(): readonly string[] {
    return this.current;
  }

  start(): void {
    this.store.add(vscode.extensions.onDidChange(() => void this.read()));
    void this.read();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Never rejects: what cannot be read changes nothing. */
  async read(): Promise<void> {
    const users = [inBrowser, vscode.Uri.joinPath(this.globalStorage, '..', '..', 'keybindings.json')];
    const tables = await Promise.all([defaults, ...users].map((uri) => this.textOf(uri)));
    const found = chordBeginnings(tables.flatMap((table) => table ?? []));
    if (this.store.isDisposed || found.length === 0 || found.join() === this.current.join()) return;
    this.current = found;
    this.emitter.fire();
  }

  private async textOf(uri: vscode.Uri): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch (error) {
      this.log.debug(`no shortcuts were read from ${uri.toString(true)}: ${messageOf(error)}`);
      return undefined;
    }
  }
}
