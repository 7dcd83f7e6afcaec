import * as vscode from 'vscode';
import * as z from 'zod';
import type { Memento } from '../../base/common/memento';
import type { SecretSource } from '../common/providers/contextProvider';

interface ProviderSecretsPorts {
  readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
  /** Stores the names of secrets, but never their values. */
  readonly memento: Memento;
  readonly referencedNames: () => readonly string[];
}

interface NamePick extends vscode.QuickPickItem {
  readonly name?: string;
}

const mementoKey = 'backline.context.secretNames';

/** The secrets for `${secret:name}` in settings of providers. They are in VS Code's secret storage. */
export class ProviderSecrets implements SecretSource {
  constructor(private readonly ports: ProviderSecretsPorts) {}

  async get(name: string): Promise<string | undefined> {
    return await this.ports.secrets.get(keyOf(name));
  }

  /** `backline.context.setSecret`: stores, replaces or removes a secret. Resolves to whether it changed. */
  async manageSecrets(): Promise<boolean> {
    const name = await this.chooseName();
    if (name === undefined) return false;
    const isSet = this.storedNames.includes(name);
    const value = await vscode.window.showInputBox({
      title: `Secret "${name}"`,
      prompt: `The value of \${secret:${name}} in backline.context.providers. It is kept in VS Code’s secret storage.`,
      placeHolder: isSet ? 'Leave empty to remove the stored secret' : 'Enter the token or key',
      password: true,
      ignoreFocusOut: true,
    });
    if (value === undefined || (value === '' && !isSet)) return false;
    await (value === '' ? this.ports.secrets.delete(keyOf(name)) : this.ports.secrets.store(keyOf(name), value));
    const others = this.storedNames.filter((each) => each !== name);
    await this.ports.memento.update(mementoKey, value === '' ? others : [...others, name]);
    return true;
  }

  private get storedNames(): readonly string[] {
    return z.array(z.string()).catch([]).parse(this.ports.memento.get(mementoKey));
  }

  private async chooseName(): Promise<string | undefined> {
    const { storedNames } = this;
    const known = [...new Set([...this.ports.referencedNames(), ...storedNames])];
    const picks: NamePick[] = [
      ...known.map((name) => ({
        name,
        label: name,
        description: storedNames.includes(name) ? 'stored' : 'not stored yet',
      })),
      { label: '$(add) Another name…' },
    ];
    const picked =
      known.length === 0
        ? { name: undefined }
        : await vscode.window.showQuickPick(picks, {
            title: 'Context Provider Secrets',
            placeHolder: 'Select a secret',
          });
    if (!picked) return undefined;
    return (
      picked.name ??
      (await vscode.window.showInputBox({
        title: 'New Context Provider Secret',
        prompt: 'Name of the secret. Settings refer to it as ${secret:name}.',
        ignoreFocusOut: true,
        validateInput: (typed) => (/^[^\s{}]+$/.test(typed) ? undefined : 'Enter a name without spaces or braces.'),
      }))
    );
  }
}

function keyOf(name: string): string {
  return `backline.context.secret.${name}`;
}
