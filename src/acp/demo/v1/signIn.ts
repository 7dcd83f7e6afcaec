import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthMethod } from '@agentclientprotocol/sdk';

/** A sign-in without credentials, to test a client's authentication flow. */
export class SignIn {
  private signedIn = false;

  /** `folder` shares the sign-in with other processes. */
  constructor(
    private readonly isRequired: boolean,
    private readonly folder: string | undefined,
  ) {}

  /** The sign-in methods. The terminal method needs a folder, because it runs in another process. */
  methods(takesTerminal: boolean): AuthMethod[] {
    if (!this.isRequired) return [];
    const description = 'Asks for nothing and succeeds';
    const methods: AuthMethod[] = [{ id: 'demo-sign-in', name: 'Demo sign-in', description }];
    if (takesTerminal && this.folder !== undefined) {
      methods.push({ type: 'terminal', id: 'demo-terminal', name: 'Demo sign-in in a terminal', args: ['--sign-in'] });
    }
    return methods;
  }

  async isDone(): Promise<boolean> {
    if (!this.isRequired || this.signedIn) return true;
    if (this.folder === undefined) return false;
    return await access(this.mark(this.folder)).then(
      () => true,
      () => false,
    );
  }

  async signIn(): Promise<void> {
    this.signedIn = true;
    if (this.folder === undefined) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.mark(this.folder), '', { mode: 0o600 });
  }

  async signOut(): Promise<void> {
    this.signedIn = false;
    if (this.folder !== undefined) await rm(this.mark(this.folder), { force: true });
  }

  private mark(folder: string): string {
    return join(folder, 'signed-in');
  }
}
